import type { Entry } from '../../../entries/entry.js';
import type { CopiedRedaction, EntryCopy, StoredVersion } from '../../../entries/entry-copies.port.js';
import { listTextFiles } from '../../../entries/searchable-entry.js';
import type { Followed, ReplicatedEntry } from '../../../search/replica/entry-replica.port.js';
import { putFileText } from '../../sql/tables/file-texts.js';
import { checksumOf } from '../../stored-document.js';
import { toInputs } from '../database/async-statements.js';
import type { Connection } from '../database/connection.js';
import { isInOrder } from '../tables/entry-order.js';
import { newestSequence } from '../tables/entry-writes.js';

/** Key in the table `store` for the position up to which the replica contains writes. */
const followedKey = 'followed';

export function readFollowed(connection: Connection): Followed {
  const row = connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', followedKey);
  return row ? (JSON.parse(row.value) as Followed) : { position: undefined, ahead: [] };
}

/** Returns the revision of an entry in the replica; 0 if there is none. */
export function revisionOf(connection: Connection, id: number): number {
  return connection.get<{ version: number }>('SELECT version FROM entry WHERE id = ?', id)?.version ?? 0;
}

export function hasText(connection: Connection, checksum: string): boolean {
  return connection.get('SELECT 1 FROM file_text WHERE checksum = ?', checksum) !== undefined;
}

export function storeArchived(connection: Connection, id: number, versions: readonly StoredVersion[]): void {
  for (const { revision, document, crc } of versions) {
    connection.run(
      'INSERT OR REPLACE INTO archived_entry (entry_id, version, document, crc) VALUES (?, ?, ?, ?)',
      id,
      revision,
      document,
      crc,
    );
  }
}

/** Implements `listUnshownTextFiles` of the port. A damaged version counts as having no files. */
export function listUnshownTextFiles(connection: Connection, { id, document }: EntryCopy): string[] {
  const current = connection.get<{ document: string }>('SELECT document FROM entry WHERE id = ?', id);
  if (!current) return [];
  const archived = connection.get<{ document: string }>(
    `SELECT archived_entry.document FROM archived_entry JOIN entry ON id = entry_id
     AND archived_entry.version = entry.version WHERE id = ?`,
    id,
  );
  const shown = new Set([document, ...(archived ? [archived.document] : [])].flatMap(unlessMalformed));
  return unlessMalformed(current.document).filter((checksum) => !shown.has(checksum));
}

/** Implements `listTextFiles` of the port. A damaged version counts as having no files. */
export function listTextFilesOf(connection: Connection, id: number): string[] {
  const rows = connection.all<{ document: string }>(
    'SELECT document FROM archived_entry WHERE entry_id = ?1 UNION ALL SELECT document FROM entry WHERE id = ?1',
    id,
  );
  return [...new Set(rows.flatMap(({ document }) => unlessMalformed(document)))];
}

function unlessMalformed(document: string): string[] {
  try {
    return listTextFiles(JSON.parse(document) as Entry);
  } catch {
    return [];
  }
}

/** Implements `storeRedaction` of the port. Must run in a transaction. */
export function storeRedaction(
  connection: Connection,
  { number, entryId }: CopiedRedaction,
  forgotten: readonly string[],
): void {
  forgetTexts(connection, forgotten);
  // The replica omits the reason, which remains in the storage.
  const document = JSON.stringify({ entryId });
  connection.run(
    'INSERT OR REPLACE INTO redaction (number, document, crc) VALUES (?, ?, ?)',
    number,
    document,
    checksumOf(document),
  );
}

function forgetTexts(connection: Connection, checksums: readonly string[]): void {
  for (const checksum of checksums) connection.run('DELETE FROM file_text WHERE checksum = ?', checksum);
}

/** Implements `store` of the port. Must run in a transaction. */
export function storeEntries(connection: Connection, entries: readonly ReplicatedEntry[], followed: Followed): void {
  let sequence = newestSequence(connection);
  for (const { entry, texts, forgotten } of entries) {
    forgetTexts(connection, forgotten);
    for (const [checksum, text] of texts) {
      const [sql, ...values] = putFileText(checksum, text, null);
      connection.run(sql, ...toInputs(values));
    }
    sequence += 1;
    // Replace the entry even if its version is unchanged: a text that arrived with another entry may be new for this
    // one.
    if (revisionOf(connection, entry.id) === 0) insertEntry(connection, entry, sequence);
    else replaceEntry(connection, entry, sequence);
  }
  connection.run('INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)', followedKey, JSON.stringify(followed));
}

function insertEntry(connection: Connection, entry: EntryCopy, sequence: number): void {
  const { id, revision, createdMs, owner, inReplyTo, document, crc } = entry;
  const inOrder = isInOrder(connection, id, createdMs);
  if (!inOrder) {
    connection.run('INSERT INTO backdated_entry (id, created_ms, place) VALUES (?, ?, 0)', id, createdMs);
  }
  connection.run(
    `INSERT INTO entry (id, version, sequence, created_ms, in_order, owner, in_reply_to, document, crc)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    revision,
    sequence,
    createdMs,
    inOrder ? 1 : 0,
    owner,
    inReplyTo,
    document,
    crc,
  );
}

function replaceEntry(connection: Connection, entry: EntryCopy, sequence: number): void {
  connection.run(
    'UPDATE entry SET version = ?, sequence = ?, document = ?, crc = ? WHERE id = ?',
    entry.revision,
    sequence,
    entry.document,
    entry.crc,
    entry.id,
  );
}
