import type { Entry } from '../../../entries/entry.js';
import { digestEntry } from '../../../ledger/entry-digest.js';
import { completeSubject, digestItem, type LedgerRecord } from '../../../ledger/ledger-record.js';
import type { LedgerReader, LedgerStore } from '../../../ledger/ledger-store.port.js';
import {
  catalogSubject,
  entryRecord,
  maxRecordedBytes,
  numberTaken,
  type RecordRow,
  subjectRecord,
  type TileRow,
  toRecord,
  toTile,
} from '../../ledger-rows.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';

export function ledgerReader(connection: Statements): LedgerReader {
  return {
    async listRecordsAfter(sequence, limit) {
      const sql = 'SELECT * FROM ledger_record WHERE sequence > ? ORDER BY sequence LIMIT ?';
      return connection.all<RecordRow>(sql, sequence, limit).map(toRecord);
    },
    async findTile(level, position) {
      const sql = 'SELECT * FROM ledger_tile WHERE level = ? AND position = ?';
      const row = connection.get<TileRow>(sql, level, position);
      return row && toTile(row);
    },
    async findNewestTile() {
      const row = connection.get<TileRow>('SELECT * FROM ledger_tile WHERE level = 0 ORDER BY position DESC LIMIT 1');
      return row && toTile(row);
    },
  };
}

export function ledgerStore(connection: Statements): LedgerStore {
  return {
    ...ledgerReader(connection),
    async putTile({ level, position, lastSequence, hashes }) {
      connection.run(
        'INSERT OR REPLACE INTO ledger_tile (level, position, last_sequence, hashes) VALUES (?, ?, ?, ?)',
        level,
        position,
        lastSequence,
        hashes.join(''),
      );
    },
    async recordEarlier(limit) {
      // Nothing but this program writes here: without this, what someone adds to the database would be recorded.
      if (isComplete(connection)) return 0;
      const recorded = recordItems(connection, limit) + recordVersions(connection, limit);
      if (recorded === 0) appendRecord(connection, subjectRecord('complete', completeSubject, digestItem('')));
      return recorded;
    },
    async appendCheckpoint(number, document) {
      appendCheckpoint(connection, number, document);
    },
  };
}

/** Appends a record, in the transaction that stores what it is about. */
export function appendRecord(connection: Statements, record: LedgerRecord): void {
  connection.run(
    'INSERT INTO ledger_record (kind, entry_id, version, subject, at_ms, digest) VALUES (?, ?, ?, ?, ?, ?)',
    record.kind,
    record.entryId,
    record.version,
    record.subject,
    record.atMs,
    record.digest,
  );
}

function isComplete(connection: Statements): boolean {
  return (
    connection.get("SELECT 1 FROM ledger_record WHERE subject = ? AND subject <> ''", completeSubject) !== undefined
  );
}

/** Stores a checkpoint. Another program may do so while the service runs: it neither caches nor counts these rows. */
export function appendCheckpoint(connection: Pick<Statements, 'run'>, number: number, document: string): void {
  const sql = 'INSERT INTO ledger_checkpoint (number, document, crc) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  if (connection.run(sql, number, document, checksumOf(document)) === 0) throw numberTaken();
}

function recordItems(connection: Statements, limit: number): number {
  const items = connection.all<{ kind: string; name: string; document: string }>(
    `SELECT kind, name, document FROM catalog_item
     WHERE NOT EXISTS (SELECT 1 FROM ledger_record WHERE subject = catalog_item.kind || '/' || catalog_item.name AND subject <> '') LIMIT ?`,
    limit,
  );
  for (const { kind, name, document } of items) {
    appendRecord(connection, subjectRecord('catalog', catalogSubject(kind, name), digestItem(document)));
  }
  return items.length;
}

interface Version {
  readonly id: number;
  readonly version: number;
  readonly bytes: number;
  readonly is_archived: number;
}

/** The archived versions first: they are older. */
function recordVersions(connection: Statements, limit: number): number {
  const versions = connection.all<Version>(
    `SELECT * FROM (SELECT entry_id AS id, version, octet_length(document) AS bytes, 1 AS is_archived
       FROM archived_entry WHERE salts IS NULL ORDER BY entry_id, version LIMIT ?1)
     UNION ALL SELECT * FROM (SELECT id, version, octet_length(document) AS bytes, 0 AS is_archived
       FROM entry WHERE salts IS NULL ORDER BY id LIMIT ?1) LIMIT ?1`,
    limit,
  );
  let bytes = 0;
  let recorded = 0;
  for (const version of versions) {
    bytes += version.bytes;
    if (recorded > 0 && bytes > maxRecordedBytes) break;
    recordVersion(connection, version);
    recorded += 1;
  }
  return recorded;
}

function recordVersion(connection: Statements, version: Version): void {
  const { id, is_archived: isArchived } = version;
  const [table, key] = isArchived === 1 ? ['archived_entry', 'entry_id'] : ['entry', 'id'];
  const where = `${key} = ? AND version = ?`;
  const row = connection.get<DocumentRow>(`SELECT document, crc FROM ${table} WHERE ${where}`, id, version.version);
  const entry =
    row && unlessDamaged(() => JSON.parse(readDocument(connection, `entry ${id}`, row, () => [id])) as Entry);
  // Nothing can be said of a damaged one, which must not be looked at again and again.
  const parent = connection.get<{ in_reply_to: number | null }>('SELECT in_reply_to FROM entry WHERE id = ?', id);
  const { salts, digest } = entry ? digestEntry(entry, parent?.in_reply_to ?? null) : { salts: '', digest: undefined };
  connection.run(`UPDATE ${table} SET salts = ? WHERE ${where}`, salts, id, version.version);
  if (digest !== undefined) appendRecord(connection, entryRecord('recorded', version, digest));
}
