import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Number of collections, some seconds apart and without work in between, that return the memory of a load to the
 * system: the first one finds the garbage, the second one shrinks the young generation, the third one frees the pages
 * of both.
 */
export const collectionsPerRest = 3;

let collect: (() => void) | undefined;

/** Collects the garbage of this thread, which serves nothing in the meantime: some 30 ms for the main thread. */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

/** Gets the function that V8 has for this without starting Node.js with a flag. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
