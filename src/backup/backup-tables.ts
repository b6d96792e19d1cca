import { restoreMarkName } from './restore-mark.js';

/** A value in a row, the same whichever engine has stored it. Flags are 0 or 1; all integers are exact as numbers. */
export type Value = string | number | null;

/** The values of a row, in the order of the columns of its table. */
export type Row = readonly Value[];

/** A table of a logbook in the form that backups have, which no engine shapes. */
export interface BackupTable {
  readonly name: string;
  /** The columns by which rows are ordered; the first ones of the table. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** The columns of which `crc` is the checksum; empty: it has none. */
  readonly checked: readonly string[];
}

const table = (
  name: string,
  key: readonly string[],
  others: readonly string[],
  checked: readonly string[] = others.includes('document') ? ['document'] : [],
): BackupTable => ({ name, key, columns: [...key, ...others], checked });

/** A table without documents, of which a checksum covers all columns but the key. */
const checkedTable = (name: string, key: readonly string[], others: readonly string[]): BackupTable =>
  table(name, key, [...others, 'crc'], others);

const document = ['document', 'crc'];
/** See entry-digest.ts. */
const salts = 'salts';

/**
 * Everything that belongs to the logbook, in an order in which rows refer to earlier ones. Not here: sessions, which
 * would revive those that were ended since; sign-ins that have begun, leases and observations of the service; and
 * everything derived from these tables, such as the search index. A column that is added later must have a value that
 * stands for its absence: earlier backups lack it.
 */
export const backupTables: readonly BackupTable[] = [
  table('store', ['key'], ['value']),
  table('catalog_item', ['kind', 'name'], document),
  table('template', ['id'], ['folded_name', ...document]),
  table('attachment', ['id'], ['checksum', 'size', ...document]),
  // write: entries in the order of their last writes have ascending numbers.
  table(
    'entry',
    ['id'],
    ['version', 'write', 'created_ms', 'owner', 'in_reply_to', 'idempotency_key', ...document, salts],
  ),
  table('archived_entry', ['entry_id', 'version'], [...document, salts]),
  table('attachment_entry', ['attachment_id', 'entry_id'], []),
  table('logbook_set', ['id'], ['names']),
  table('entry_file', ['entry_id', 'attachment_id', 'logbook_set'], ['filename', 'version', 'place']),
  checkedTable('file_text', ['checksum'], ['text', 'failure']),
  table('unread_file', ['checksum', 'entry_id'], ['content_type', 'attempts']),
  checkedTable('change', ['sequence'], ['kind', 'entry_id', 'version', 'notify', 'at_ms']),
  table('redaction', ['number'], document),
  table('ledger_checkpoint', ['number'], document),
  table('audit_chain', ['part'], ['id', 'hash']),
  table('ledger_tile', ['level', 'position'], ['last_sequence', 'hashes']),
  table('ledger_record', ['sequence'], ['kind', 'entry_id', 'version', 'subject', 'at_ms', 'digest']),
  table('api_token', ['id'], ['token_hash', 'created_ms', 'scheme', 'user_name', ...document]),
  table('audit', ['id'], ['at_ms', 'user_name', 'action', 'outcome', ...document, 'hash']),
  table('draft', ['number'], ['scheme', 'user_name', 'id', 'version', 'modified_ms', 'title', ...document]),
  table('draft_file', ['draft', 'id'], ['place', 'size', 'checksum', ...document]),
  table('draft_part', ['draft', 'file_id', 'place'], ['size', 'checksum']),
  table('repeatable_write', ['number'], ['scheme', 'user_name', 'key', 'fingerprint', 'at_ms', ...document]),
  table('user_settings', ['user_name', 'scheme'], ['version', ...document]),
  table('saved_search', ['number'], ['id', 'scheme', 'user_name', 'is_shared', ...document]),
  table('follower', ['name'], ['sequence', ...document]),
  table('dead_letter', ['id'], ['follower', 'again', ...document]),
  table('dropped_letters', ['follower'], ['count']),
  table('deferred_delivery', ['id'], ['follower', 'next_attempt_ms', ...document]),
  table('import_source', ['name'], ['state']),
  table('imported_item', ['source', 'kind', 'key'], ['target', 'version', 'digest']),
];

/** Keys in the table `store` that the service records for itself. */
export const transientKeys: readonly string[] = ['probe', 'file-verification', 'row-verification', restoreMarkName];
/** Tables by whose rows somebody signs in. */
export const credentialTables: ReadonlySet<string> = new Set(['api_token']);
/** Keys in the table `store` of secrets that are no credentials, and that can be replaced by new ones. */
export const renewedKeys: ReadonlySet<unknown> = new Set(['feed_secret']);
/** Keys in the table `store` that one engine records for itself, and others lack. */
export const foreignKeys: ReadonlySet<unknown> = new Set(['document-checksums']);

/** Returns a function that reads one column of the rows of a table. */
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

/** Names a row as an operator can read it. */
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
