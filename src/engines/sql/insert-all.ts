import { type ColumnsOf, schema, type TableName } from '../../backup/schema.js';
import { encodeRecords, recordColumns } from './dialect.js';
import type { Statements } from './statements.port.js';

/** A row with all columns, including those that the database would assign. */
export type GivenRow<T extends TableName> = Readonly<Record<keyof ColumnsOf<T> & string, string | number | null>>;

/**
 * Inserts rows whose numbers are given instead of assigned by the database. If each statement costs a round trip, one
 * statement inserts all rows. If not, single inserts are faster.
 */
export async function insertAll<T extends TableName>(
  connection: Statements,
  table: T,
  rows: readonly GivenRow<T>[],
): Promise<void> {
  const { dialect } = connection;
  const names = Object.keys(schema[table].columns) as (keyof GivenRow<T>)[];
  const into = `INSERT INTO ${table} (${names.join(', ')}) ${dialect.withGivenNumbers}`;
  if (!dialect.isRemote) {
    const sql = `${into} VALUES (${names.map(() => '?').join(', ')})`;
    // Each statement runs when it is called; awaiting them one by one would cost more than the statements.
    await Promise.all(rows.map((row) => connection.run(sql, ...names.map((name) => row[name]))));
    return;
  }
  const records = dialect.records('item', recordColumns(table));
  await connection.run(`${into} SELECT ${names.join(', ')} FROM ${records}`, encodeRecords(rows));
}
