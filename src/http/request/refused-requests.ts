import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

declare module 'http' {
  interface IncomingMessage {
    /** What Fastify takes for the address that the client sent, when `url` was rewritten. */
    originalUrl?: string;
  }
}

const refusals = new WeakMap<IncomingMessage, Error>();
/** No route has this address. */
const unroutable = '/%01';

/**
 * Refuses a request that cannot be routed as if no route had its address: headers, log and metrics are those of any
 * other request.
 */
export function refuseUnroutable(
  app: FastifyInstance,
  request: IncomingMessage,
  response: ServerResponse,
  error: Error,
): void {
  refusals.set(request, error);
  request.originalUrl = request.url ?? '';
  request.url = unroutable;
  app.routing(request, response);
}

/** @throws Error the one that the request is refused with */
export function checkRoutable(request: IncomingMessage): void {
  const refusal = refusals.get(request);
  if (refusal) throw refusal;
}
