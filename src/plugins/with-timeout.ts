/**
 * What `work` comes to; or, as soon as the signal aborts, a rejection with its reason. The work cannot be stopped from
 * outside: what it does afterwards is nobody's concern.
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

/** What `work` comes to, or a rejection after `limitMs`, or sooner when `stop` aborts. */
export async function withinTime<T>(
  limitMs: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(tooLate(limitMs)), limitMs);
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

export function tooLate(limitMs: number): Error {
  return new DOMException(`it took longer than ${limitMs / 1_000} s`, 'TimeoutError');
}
