import { toStorable } from '../stored-rows.js';

export type ColumnType = 'text' | 'integer' | 'bigint';

/** Wording of SQL that differs between the databases. Everything else is written once, in the folder `tables`. */
export interface Dialect {
  /** Whether other programs, also of the version before, write to the same tables. */
  readonly isShared: boolean;
  /** Size of the documents of a list that are read together, in bytes. */
  readonly readTogetherBytes: number;
  /** Condition of a column `sequence`: no row can still appear before this one. */
  readonly inFinalOrder: string;
  /** Ends a statement whose row other transactions must not change until this one has ended. */
  readonly forUpdate: string;
  /** Stands in an insert that gives the numbers of rows itself. */
  readonly withGivenNumbers: string;
  /** Statement that makes other transactions wait that take the same lock; undefined: they do so anyway. */
  readonly lock: string | undefined;
  /** Statement that returns the next ids of the table `audit`, as many as its value says. */
  readonly nextAuditIds: string;
  /** Condition that a column has one of the values of a list. */
  isIn(column: string, type: ColumnType, value?: string): string;
  /** Condition that a flag is set. */
  isSet(column: string): string;
  /** The rows that a value contains, see `encodeRecords`. */
  records(name: string, columns: Readonly<Record<string, ColumnType>>): string;
  /** Stores bytes in UTF-8 as text. */
  textOf(value: string): string;
  /** Reads a text as bytes where that is faster. */
  bytesOf(column: string): string;
}

/** Encodes rows for a statement with `Dialect.records`. */
export function encodeRecords(records: readonly Readonly<Record<string, string | number | null>>[]): string {
  return JSON.stringify(records, (_key, value) => (typeof value === 'string' ? toStorable(value) : value));
}

/** Returns the statement that inserts a row, or replaces the one with the same key. */
export function upsert(table: string, key: readonly string[], others: readonly string[]): string {
  const names = [...key, ...others];
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

/** Returns a flag as it was stored, whichever type the database has for it. */
export function readFlag(value: number | boolean): boolean {
  return value === true || value === 1;
}

/** Returns a document that was read by `Dialect.bytesOf`. */
export function toBytes(document: string | Uint8Array): Uint8Array {
  return typeof document === 'string' ? Buffer.from(document) : document;
}
