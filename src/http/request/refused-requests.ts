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
/** An address without a route. */
const unroutable = '/%01';

/** Refuses a request that cannot be routed, with the same headers, log and metrics as for an unknown address. */
export function refuseUnroutable(
  app: FastifyInstance,
  request: IncomingMessage,
  response: ServerResponse,
  error: Error,
): void {
  refusals.set(request, { error, url: request.originalUrl ?? request.url ?? '' });
  app.routing(request, response);
}

/** Returns the URL with which a request is routed. */
export function toRoutedUrl(request: IncomingMessage, rootPaths: RootPaths): string {
  const refusal = refusals.get(request);
  if (!refusal) return rootPaths.toRouted(request.url ?? '');
  request.originalUrl = refusal.url;
  return unroutable;
}

/** @throws Error of the refusal, for a refused request */
export function checkRoutable(request: IncomingMessage): void {
  const refusal = refusals.get(request);
  if (refusal) throw refusal.error;
}
