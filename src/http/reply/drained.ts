import type { ServerResponse } from 'node:http';

/** Resolves when no more of the answer waits for its client, or nobody waits for that. */
export async function drained(answer: ServerResponse, signal: AbortSignal): Promise<void> {
  if (!answer.writableNeedDrain || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      answer.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    answer.on('drain', done);
    signal.addEventListener('abort', done);
  });
}
