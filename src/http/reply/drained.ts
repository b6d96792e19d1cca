import type { ServerResponse } from 'node:http';

/** Resolves when the response can take more data, or when `signal` aborts. */
export async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (!response.writableNeedDrain || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done);
  });
}
