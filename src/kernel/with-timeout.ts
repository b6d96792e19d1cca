/**
 * Settles as `work` does, or rejects with the reason of the signal as soon as it aborts. The work itself cannot be
 * stopped; its later result is ignored.
 */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Settles as `work` does, or rejects after `limitMs` milliseconds or when `stop` aborts. */
export async function withTimeout<T>(
  limitMs: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timeoutError(limitMs)), limitMs);
  const abort = () => limit.abort(stop?.reason);
  if (stop?.aborted) abort();
  stop?.addEventListener('abort', abort, { once: true });
  try {
    return await untilAborted(limit.signal, () => work(limit.signal));
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', abort);
  }
}

export function timeoutError(limitMs: number): Error {
  return new DOMException(`timed out after ${limitMs / 1_000} s`, 'TimeoutError');
}
