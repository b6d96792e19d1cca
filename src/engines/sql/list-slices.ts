import { nextSharedTurn } from '../../kernel/fair-turns.js';
import type { ListSize } from '../../kernel/list-limits.js';
import type { SqlValue } from './dialect.js';
import type { Statements } from './statements.port.js';

/** Maximum number of rows examined in one turn of the event loop. */
const sliceKeys = 200;

/** Key of a row, with the size of its document in bytes. */
interface ListKey<K extends string | number> {
  readonly key: K;
  readonly bytes: number;
}

export interface SlicedList<K extends string | number> {
  /** Leading values of both statements. */
  readonly values?: readonly SqlValue[];
  /** Value that sorts before all keys. */
  readonly first: K;
  /**
   * Statement that returns `key` and `bytes` of the rows after a key, in order. Its last values are the key and a
   * limit.
   */
  readonly keysAfter: string;
  /** Statement that returns the rows with the listed keys, in order. */
  readonly rows: string;
}

/**
 * Yields the rows of a long list in key order, except those removed in the meantime. No statement or snapshot stays
 * open between two rows, and other work can run after each slice. Rows are read together up to a total document size; a
 * larger row is read alone when it is consumed.
 */
export async function* listInSlices<Row extends object, K extends string | number>(
  connection: Statements,
  { values = [], first, keysAfter, rows }: SlicedList<K>,
): AsyncGenerator<Row> {
  let key = first;
  for (;;) {
    const keys = await connection.all<ListKey<K>>(keysAfter, ...values, key, sliceKeys);
    for (const run of runsOf(keys, connection.dialect.readTogetherBytes)) {
      yield* await connection.all<Row>(rows, ...values, run);
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < sliceKeys) return;
    ({ key } = last);
    await nextSharedTurn();
  }
}

/** Divides keys into runs whose rows are read together. */
function* runsOf<K extends string | number>(
  keys: readonly ListKey<K>[],
  maxBytes: number,
): Generator<readonly (string | number)[]> {
  let run: K[] = [];
  let runBytes = 0;
  for (const { key, bytes } of keys) {
    if (run.length > 0 && runBytes + bytes > maxBytes) {
      yield run;
      run = [];
      runBytes = 0;
    }
    run.push(key);
    runBytes += bytes;
  }
  if (run.length > 0) yield run;
}

/** Columns of a `ListSize`. `octet_length` does not read the pages of a long document. */
export const listSizeColumns = 'count(*) AS items, CAST(coalesce(sum(octet_length(document)), 0) AS bigint) AS bytes';

export const emptyList: ListSize = { items: 0, bytes: 0 };
