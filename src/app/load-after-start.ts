import type { Log } from '../kernel/log.js';
import type { CleanupStack } from './cleanup-stack.js';

/** Delay after the start, so that requests that waited for the start are answered first. */
const delayMs = 3_000;

interface Loadable {
  /** Loads the library that this part uses. */
  load(): Promise<unknown>;
}

/**
 * Loads, shortly after the start, the libraries that were not needed for it. Before their first use, an upgrade could
 * replace the files of the program, or the process could run out of file descriptors. Node.js does not retry a failed
 * import.
 */
export function loadAfterStart(parts: readonly Loadable[], log: Log, cleanup: CleanupStack): void {
  const loadAll = async () => {
    for (const part of parts) await part.load();
  };
  const onError = (err: unknown) => log.error({ err }, 'a library could not be loaded; restart the service');
  const timer = setTimeout(() => void loadAll().catch(onError), delayMs).unref();
  cleanup.defer(() => clearTimeout(timer));
}
