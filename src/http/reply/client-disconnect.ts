import type { FastifyReply } from 'fastify';

/** Aborts when the client closes its connection before it has its answer. */
export function clientDisconnected(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
