import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many collections, some seconds apart without work in between, return what a load has left to the system: the
 * first one finds the garbage, the second one shrinks the young generation, the third one frees the pages of both.
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
