import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListSize } from '../../../kernel/list-limits.js';

/** Keys that are read at a time; the rows themselves are read one by one, as they are consumed. */
const sliceKeys = 200;

/**
 * Yields the rows of a long list in the order of their keys. No statement and no snapshot stays open between two rows,
 * and the event loop serves others after each slice.
 * @param keysAfter returns the keys after that one, in order, at most `limit`
 * @param find returns the row of a key; undefined when it was removed meanwhile
 */
export async function* listInSlices<T>(
  keysAfter: (key: string, limit: number) => readonly string[],
  find: (key: string) => T | undefined,
): AsyncGenerator<T> {
  let keys = keysAfter('', sliceKeys);
  while (keys.length > 0) {
    for (const key of keys) {
      const row = find(key);
      if (row !== undefined) yield row;
    }
    if (keys.length < sliceKeys) return;
    await nextTurn();
    keys = keysAfter(keys.at(-1) ?? '', sliceKeys);
  }
}

/** The columns of a `ListSize`. `octet_length` reads no page of a long document. */
export const listSizeColumns = 'count(*) AS items, coalesce(sum(octet_length(document)), 0) AS bytes';

export const emptyList: ListSize = { items: 0, bytes: 0 };
