/** Rows that are read at a time; they are short, or few. */
const pageRows = 200;

/**
 * Yields the rows of a long list in the order of their keys. No statement and no snapshot stays open between two pages.
 * @param rowsAfter returns the rows after that key, in order, at most `limit`
 */
export async function* listInPages<Row, Key>(
  first: Key,
  keyOf: (row: Row) => Key,
  rowsAfter: (key: Key, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  let key = first;
  for (;;) {
    const rows = await rowsAfter(key, pageRows);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    key = keyOf(last);
  }
}

/** The columns of a `ListSize`. */
export const listSizeColumns = 'count(*) AS items, coalesce(sum(octet_length(document)), 0)::bigint AS bytes';
