import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { RootPaths } from './root-paths.js';

declare module 'http' {
  interface IncomingMessage {
    /** URL as the client sent it, when `url` was rewritten. */
    originalUrl?: string;
  }
}

interface Refusal {
  readonly error: Error;
  /** URL as the client sent it. */
  readonly url: string;
}

const refusals = new WeakMap<IncomingMessage, Refusal>();
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
  refusals.set(request, { error, url: request.originalUrl ?? request.url ?? '' });
  app.routing(request, response);
}

/** Returns the URL by which a request is routed. */
export function toRoutedUrl(request: IncomingMessage, rootPaths: RootPaths): string {
  const refusal = refusals.get(request);
  if (!refusal) return rootPaths.toRouted(request.url ?? '');
  request.originalUrl = refusal.url;
  return unroutable;
}

/** @throws Error the one that the request is refused with */
export function checkRoutable(request: IncomingMessage): void {
  const refusal = refusals.get(request);
  if (refusal) throw refusal.error;
}
