import type { FastifyReply } from 'fastify';
import type {} from '../request/request-context.js';

declare module '../request/request-context.js' {
  interface RequestContext {
    /** Signal shared by all parts of the work for a request that may stop when its client disconnects. */
    disconnected?: AbortSignal;
  }
}

/** Returns a signal that aborts when the client disconnects before the response is complete. */
export function clientDisconnected({ raw, request: { context } }: FastifyReply): AbortSignal {
  context.disconnected ??= watchClose(raw);
  return context.disconnected;
}

function watchClose(raw: FastifyReply['raw']): AbortSignal {
  const disconnected = new AbortController();
  if (raw.destroyed) disconnected.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
