import { type BackupTable, transientKeys, type Value } from '../../backup/backup-tables.js';

/** Maximum number of rows that a snapshot reads at a time. */
export const batchRows = 500;

export const quotedName = (name: string): string => `"${name}"`;

/** How a database writes the statements that read the rows of a backup. */
export interface RowsDialect {
  /** Expression for a column of backups, such as another name that it has in the database. */
  readonly expressionOf: (table: string, column: string) => string;
  /** Parameter at a position from 1. */
  readonly parameter: (position: number) => string;
}

export interface RowsStatement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Returns the statement that reads the next rows of a table by their keys. @param after key of the last row read */
export function selectNextRows(
  dialect: RowsDialect,
  table: BackupTable,
  after: readonly Value[] | undefined,
): RowsStatement {
  const { name, key } = table;
  const parameters = key.map((_, at) => dialect.parameter(at + 1));
  const conditions = [
    ...(after ? [`(${key.map(quotedName).join(', ')}) > (${parameters.join(', ')})`] : []),
    ...(name === 'store' ? [`key NOT IN (${transientKeys.map((one) => `'${one}'`).join(', ')})`] : []),
  ];
  return { sql: select(dialect, table, conditions, batchRows), values: after ?? [] };
}

/** Returns the statement that reads the row with this key. */
export function selectRow(dialect: RowsDialect, table: BackupTable, key: readonly Value[]): RowsStatement {
  const conditions = table.key.map((column, at) => `${quotedName(column)} = ${dialect.parameter(at + 1)}`);
  return { sql: select(dialect, table, conditions, 1), values: key };
}

/** The columns have the names that backups give them. */
function select(
  { expressionOf }: RowsDialect,
  { name, key, columns }: BackupTable,
  conditions: readonly string[],
  limit: number,
): string {
  const selected = columns.map((column) => `${expressionOf(name, column)} AS ${quotedName(column)}`).join(', ');
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  const order = key.map(quotedName).join(', ');
  return `SELECT ${selected} FROM ${quotedName(name)}${where} ORDER BY ${order} LIMIT ${limit}`;
}
