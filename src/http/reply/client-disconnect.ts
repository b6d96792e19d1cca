import type { FastifyReply } from 'fastify';

/** One for each response: several parts of the work for a request may stop with its client. */
const signals = new WeakMap<FastifyReply['raw'], AbortSignal>();

/** A signal that aborts when the client disconnects before the response is complete. */
export function clientDisconnected({ raw }: FastifyReply): AbortSignal {
  const known = signals.get(raw);
  if (known) return known;
  const disconnected = new AbortController();
  signals.set(raw, disconnected.signal);
  if (raw.destroyed) disconnected.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
