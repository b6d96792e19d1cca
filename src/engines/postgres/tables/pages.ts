/** Rows that are read at a time. */
const pageRows = 200;
/** Their documents have this many bytes at most, unless the first has more. */
const pageBytes = 262_144;

/**
 * Yields the rows of a long list in the order of their keys. No statement and no snapshot stays open between two pages.
 * @param rowsAfter returns the rows after that key, in order, at most `limit`, or fewer; none when there are no more
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
    if (last === undefined) return;
    key = keyOf(last);
  }
}

/**
 * Returns the statement for the rows of a page.
 * @param rows the statement for the rows after a key, in order, with a limit
 * @param key the column of the key
 */
export function boundedPage(rows: string, key: string): string {
  // The lengths are known without reading the documents.
  return `SELECT * FROM (
      SELECT *, row_number() OVER in_order AS place, sum(octet_length(document)) OVER in_order AS bytes
      FROM (${rows}) AS page WINDOW in_order AS (ORDER BY ${key})
    ) AS sized WHERE place = 1 OR bytes <= ${pageBytes} ORDER BY ${key}`;
}

/** The columns of a `ListSize`. */
export const listSizeColumns = 'count(*) AS items, coalesce(sum(octet_length(document)), 0)::bigint AS bytes';
