import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Number of collections that return memory to the system after a load, a few seconds apart and without work in between.
 * The first finds the garbage, the second shrinks the young generation, the third frees the pages of both.
 */
export const collectionsPerRest = 3;

let collect: (() => void) | undefined;

/** Collects the garbage of this thread, which blocks it: for about 30 ms in the main thread. */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

/** Exposes V8's collector function without starting Node.js with a flag. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
