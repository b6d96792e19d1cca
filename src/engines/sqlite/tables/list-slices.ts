import { nextSharedTurn } from '../../../kernel/fair-turns.js';
import type { ListSize } from '../../../kernel/list-limits.js';

/** Rows that are looked at in one round of the event loop. */
const sliceKeys = 200;
/** Rows are read together up to this size of their documents; a longer one is read alone, when it is consumed. */
const maxRunBytes = 32_768;

/** The key of a row, with the size of its document in bytes. */
export interface ListKey<K extends string | number> {
  readonly key: K;
  readonly bytes: number;
}

/**
 * Yields the rows of a long list in the order of their keys. No statement and no snapshot stays open between two rows,
 * and the event loop serves others after each slice.
 * @param first comes before all keys
 * @param keysAfter returns the keys after that one, in order, at most `limit`
 * @param readRows returns the rows of these keys, in order; those removed in the meantime are missing
 */
export async function* listInSlices<K extends string | number, T>(
  first: K,
  keysAfter: (key: K, limit: number) => readonly ListKey<K>[],
  readRows: (keys: readonly K[]) => readonly T[],
): AsyncGenerator<T> {
  let keys = keysAfter(first, sliceKeys);
  while (keys.length > 0) {
    for (const run of runsOf(keys)) yield* readRows(run);
    if (keys.length < sliceKeys) return;
    await nextSharedTurn();
    keys = keysAfter((keys.at(-1) as ListKey<K>).key, sliceKeys);
  }
}

/** Divides keys into runs of rows that are read together. */
function* runsOf<K extends string | number>(keys: readonly ListKey<K>[]): Generator<readonly K[]> {
  let run: K[] = [];
  let runBytes = 0;
  for (const { key, bytes } of keys) {
    if (run.length > 0 && runBytes + bytes > maxRunBytes) {
      yield run;
      run = [];
      runBytes = 0;
    }
    run.push(key);
    runBytes += bytes;
  }
  if (run.length > 0) yield run;
}

/** The columns of a `ListSize`. `octet_length` reads no page of a long document. */
export const listSizeColumns = 'count(*) AS items, coalesce(sum(octet_length(document)), 0) AS bytes';

export const emptyList: ListSize = { items: 0, bytes: 0 };
