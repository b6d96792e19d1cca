import { restoreMarkName } from './restore-mark.js';
import { schema, type TableName, type TableSchema } from './schema.js';

/**
 * A value in a row, in a form that does not depend on the engine. Flags are 0 or 1; all integers are exact as numbers.
 */
export type Value = string | number | null;

/** The values of a row, in the order of the columns of its table. */
export type Row = readonly Value[];

/** A table of a logbook in the form of backups, which does not depend on the engine. */
export interface BackupTable {
  readonly name: TableName;
  /** Columns by which rows are ordered. They are the first ones of the table. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** Columns that the checksum in `crc` covers; empty: the table has no checksums. */
  readonly checked: readonly string[];
}

/** All tables of a logbook, ordered so that rows only refer to rows of earlier tables. */
export const backupTables: readonly BackupTable[] = Object.entries<TableSchema>(schema).flatMap(
  ([name, { key, columns, checked, isBackedUp }]) =>
    isBackedUp ? [{ name: name as TableName, key, columns: Object.keys(columns), checked }] : [],
);

/** Keys in the table `store` for the service's own records, which are not part of the logbook. */
export const transientKeys: readonly string[] = ['probe', 'file-verification', 'row-verification', restoreMarkName];
/** Tables whose rows allow someone to sign in. */
export const credentialTables: ReadonlySet<TableName> = new Set(['api_token']);
/** Keys in the table `store` of secrets that are not credentials and can be replaced by new ones. */
export const renewedKeys: ReadonlySet<unknown> = new Set(['feed_secret']);
/** Keys in the table `store` for records that only one engine has. */
export const foreignKeys: ReadonlySet<unknown> = new Set(['document-checksums']);

export function columnReader({ name, columns }: BackupTable, column: string): (row: Row) => Value {
  const index = columns.indexOf(column);
  if (index < 0) throw new Error(`the table ${name} has no column ${column}`);
  return (row) => row[index] ?? null;
}

export function getTable(name: string): BackupTable {
  const found = backupTables.find((one) => one.name === name);
  if (!found) throw new Error(`there is no table ${name}`);
  return found;
}

/** Returns the name of a row for operators. */
export function describeRow({ name, key }: BackupTable, row: Row): string {
  const values = row.slice(0, key.length);
  switch (name) {
    case 'entry':
      return `entry ${values[0]}`;
    case 'archived_entry':
      return `the archived version ${values[1]} of entry ${values[0]}`;
    case 'attachment':
    case 'template':
    case 'audit':
      return `${name} ${values[0]}`;
    case 'catalog_item':
      return `“${values[1]}” of the ${values[0]}`;
    default:
      return `row ${values.join(' ')} of the table ${name}`;
  }
}
