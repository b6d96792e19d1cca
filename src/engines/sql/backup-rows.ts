import { type BackupTable, type Row, transientKeys, type Value } from '../../backup/backup-tables.js';
import type { DocumentSnapshot } from '../../backup/document-snapshot.port.js';

/** Maximum number of rows that a snapshot reads at a time. */
const batchRows = 500;

export const quotedName = (name: string): string => `"${name}"`;

/** Reads the rows of a backup from a database. */
export interface RowsReader {
  /** Returns the SQL expression for a column of a backup, such as the name of the column in the database. */
  expressionOf(table: string, column: string): string;
  /** Returns the placeholder for a position, counted from 1. */
  parameter(position: number): string;
  /** Runs a statement that selects these columns. */
  read(columns: readonly string[], sql: string, values: readonly Value[]): Row[] | Promise<Row[]>;
}

export function rowsOfSnapshot(reader: RowsReader): Pick<DocumentSnapshot, 'rows' | 'idsInWriteOrder' | 'find'> {
  return {
    rows: (table) => listRows(reader, table),
    idsInWriteOrder: () => listIdsInWriteOrder(reader),
    async find(table, key) {
      const conditions = table.key.map((column, at) => `${quotedName(column)} = ${reader.parameter(at + 1)}`);
      const [row] = await reader.read(table.columns, select(reader, table, conditions, 1), key);
      return row;
    },
  };
}

async function* listRows(reader: RowsReader, table: BackupTable): AsyncGenerator<Row[]> {
  const { name, key, columns } = table;
  const isKept = name === 'store' ? [`key NOT IN (${transientKeys.map((one) => `'${one}'`).join(', ')})`] : [];
  const parameters = key.map((_, at) => reader.parameter(at + 1));
  const isNext = `(${key.map(quotedName).join(', ')}) > (${parameters.join(', ')})`;
  for (let after: readonly Value[] | undefined; ; ) {
    const sql = select(reader, table, after ? [isNext, ...isKept] : isKept, batchRows);
    const rows = await reader.read(columns, sql, after ?? []);
    yield rows;
    if (rows.length < batchRows) return;
    after = rows.at(-1)?.slice(0, key.length);
  }
}

async function* listIdsInWriteOrder(reader: RowsReader): AsyncGenerator<number[]> {
  const write = reader.expressionOf('entry', 'write');
  const sql = `SELECT ${write} AS write, id FROM entry
     WHERE (${write}, id) > (${reader.parameter(1)}, ${reader.parameter(2)}) ORDER BY ${write}, id LIMIT ${batchRows}`;
  for (let after: Row = [-1, 0]; ; ) {
    const rows = await reader.read(['write', 'id'], sql, after);
    yield rows.map(([, id]) => Number(id));
    if (rows.length < batchRows) return;
    after = rows.at(-1) ?? after;
  }
}

/** Returns a SELECT that names its columns as the backup does. */
function select(
  reader: RowsReader,
  { name, key, columns }: BackupTable,
  conditions: readonly string[],
  limit: number,
): string {
  const selected = columns.map((column) => `${reader.expressionOf(name, column)} AS ${quotedName(column)}`).join(', ');
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  const order = key.map(quotedName).join(', ');
  return `SELECT ${selected} FROM ${quotedName(name)}${where} ORDER BY ${order} LIMIT ${limit}`;
}
