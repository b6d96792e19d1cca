import type { FastifyReply } from 'fastify';

/** A signal that aborts when the client disconnects before the response is complete. */
export function clientDisconnected(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  if (reply.raw.destroyed) disconnected.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
