import type { Log } from '../kernel/log.js';
import type { CleanupStack } from './cleanup-stack.js';

/** Long enough for the requests that waited for the start to be answered. */
const delayMs = 3_000;

interface Loadable {
  /** Loads the library that this part uses. */
  load(): Promise<unknown>;
}

/**
 * Loads, a moment after the start, the libraries that it did not need. By the time of their first use, an upgrade may
 * have replaced the files of the program, or no more files can be opened; Node.js never tries again to load a module
 * after a failure.
 */
export function loadAfterStart(parts: readonly Loadable[], log: Log, cleanup: CleanupStack): void {
  const loadAll = async () => {
    for (const part of parts) await part.load();
  };
  const onError = (err: unknown) => log.error({ err }, 'a library could not be loaded; restart the service');
  const timer = setTimeout(() => void loadAll().catch(onError), delayMs).unref();
  cleanup.defer(() => clearTimeout(timer));
}
