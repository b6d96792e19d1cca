import { type NewRow, schema, type TableName, type TableSchema } from '../../backup/schema.js';
import { toStorable } from '../stored-rows.js';

/** Value of a statement. A list counts as one value, see `Dialect.isIn`. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];

export type ColumnType = 'text' | 'integer' | 'bigint';

/** SQL that differs between the databases. Everything else is shared, in the folder `tables`. */
export interface Dialect {
  /** Whether other processes, possibly of the previous version, write to the same tables. */
  readonly isShared: boolean;
  /** Whether each statement costs a round trip to a server. */
  readonly isRemote: boolean;
  /** Total size of the documents of a list that are read together, in bytes. */
  readonly readTogetherBytes: number;
  /** Condition on a column `sequence`: no further row can appear before this one. */
  readonly inFinalOrder: string;
  /** Suffix of a query that locks its row against other transactions until this one ends. */
  readonly forUpdate: string;
  /** Clause of an insert whose values include the numbers of the rows. */
  readonly withGivenNumbers: string;
  /**
   * Statement that makes other transactions with the same lock wait; undefined: transactions always wait for each
   * other.
   */
  readonly lock: string | undefined;
  /**
   * Statement that returns the next ids of the table `audit`; its value is their number. It may return only the first
   * of consecutive ids.
   */
  readonly nextAuditIds: string;
  /** Returns the condition that a column has one of the values in a list. */
  isIn(column: string, type: ColumnType, value?: string): string;
  /** Returns the condition that a flag is set. */
  isSet(column: string): string;
  /** Returns the FROM item for the rows in a value, see `encodeRecords`. */
  records(name: string, columns: Readonly<Record<string, ColumnType>>): string;
  /** Returns the expression that stores UTF-8 bytes as text. */
  textOf(value: string): string;
  /** Returns the expression that reads a text as bytes where that is faster. */
  bytesOf(column: string): string;
}

/** Encodes rows for a statement that uses `Dialect.records`. */
export function encodeRecords(records: readonly Readonly<Record<string, string | number | null>>[]): string {
  const json = JSON.stringify(records);
  // These escapes stand for characters that some database cannot store. They are rare, and checking each value is slow.
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json;
  return JSON.stringify(records, (_key, value) => (typeof value === 'string' ? toStorable(value) : value));
}

/** Returns the columns of a table for `Dialect.records`. */
export function recordColumns(table: TableName): Readonly<Record<string, ColumnType>> {
  const types = { text: 'text', integer: 'integer', bigint: 'bigint', number: 'bigint', flag: 'integer' } as const;
  const { columns }: TableSchema = schema[table];
  return Object.fromEntries(
    Object.entries(columns).map(([name, type]) => [name, types[type.replace('?', '') as keyof typeof types]]),
  );
}

/** A statement with its values, for `Statements.run` or `get`. */
type Statement = readonly [sql: string, ...values: SqlValue[]];

/**
 * Returns a function that builds the statement to insert a row, with all columns that the database does not assign.
 * @param end suffix of the statement, such as `ON CONFLICT DO NOTHING`
 */
export function insert<T extends TableName>(table: T, end = ''): (row: NewRow<T>) => Statement {
  const { columns }: TableSchema = schema[table];
  const names = Object.keys(columns).filter((name) => columns[name] !== 'number');
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ${end}`;
  return (row) => [sql, ...names.map((name) => (row as Readonly<Record<string, SqlValue>>)[name] ?? null)];
}

/** Returns a function that builds the statement to insert a row, or to replace the row with the same key. */
export function upsert<T extends TableName>(table: T): (row: NewRow<T>) => Statement {
  const { key, columns }: TableSchema = schema[table];
  const others = Object.keys(columns).filter((name) => !key.includes(name));
  const replaced = others.map((name) => `${name} = excluded.${name}`).join(', ');
  return insert(table, `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${replaced}`);
}

/** Decodes a flag, which a database may store as a number or a boolean. */
export function readFlag(value: number | boolean): boolean {
  return value === true || value === 1;
}

/** Returns the bytes of a document read with `Dialect.bytesOf`. */
export function toBytes(document: string | Uint8Array): Uint8Array {
  return typeof document === 'string' ? Buffer.from(document) : document;
}
