import type { Entry } from '../../../entries/entry.js';
import { digestEntry } from '../../../ledger/entry-digest.js';
import { completeSubject, digestItem } from '../../../ledger/ledger-record.js';
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
import { insert, upsert } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import type { LedgerScope } from '../write-scope.port.js';

const addCheckpoint = insert('ledger_checkpoint', 'ON CONFLICT DO NOTHING');
const putTile = upsert('ledger_tile');

export function ledgerReader(connection: Statements): LedgerReader {
  return {
    async listRecordsAfter(sequence, limit) {
      const { inFinalOrder } = connection.dialect;
      const sql = `SELECT * FROM ledger_record WHERE ${inFinalOrder} AND sequence > ? ORDER BY sequence LIMIT ?`;
      return (await connection.all<RecordRow>(sql, sequence, limit)).map(toRecord);
    },
    async findTile(level, position) {
      const sql = 'SELECT * FROM ledger_tile WHERE level = ? AND position = ?';
      const row = await connection.get<TileRow>(sql, level, position);
      return row && toTile(row);
    },
    async findNewestTile() {
      const sql = 'SELECT * FROM ledger_tile WHERE level = 0 ORDER BY position DESC LIMIT 1';
      const row = await connection.get<TileRow>(sql);
      return row && toTile(row);
    },
  };
}

/** @param scope receives the records */
export function ledgerStore(connection: Statements, scope: LedgerScope): LedgerStore {
  return {
    ...ledgerReader(connection),
    async putTile({ level, position, lastSequence, hashes }) {
      await connection.run(...putTile({ level, position, last_sequence: lastSequence, hashes: hashes.join('') }));
    },
    recordEarlier: (limit) => recordEarlier(connection, scope, limit),
    appendCheckpoint: (number, document) => appendCheckpoint(connection, number, document),
  };
}

/**
 * Stores a checkpoint. Another program may also do so while the service runs, because the service neither caches nor
 * counts these rows.
 */
export async function appendCheckpoint(
  connection: Pick<Statements, 'run'>,
  number: number,
  document: string,
): Promise<void> {
  const added = await connection.run(...addCheckpoint({ number, document, crc: checksumOf(document) }));
  if (added === 0) throw numberTaken();
}

async function recordEarlier(connection: Statements, scope: LedgerScope, limit: number): Promise<number> {
  const isComplete = await connection.get(
    "SELECT 1 FROM ledger_record WHERE subject = ? AND subject <> ''",
    completeSubject,
  );
  // The check prevents the recording of rows that someone else adds to a database to which only this program may write.
  if (isComplete && !connection.dialect.isShared) return 0;
  const recorded = (await recordItems(connection, scope, limit)) + (await recordVersions(connection, scope, limit));
  if (recorded === 0 && !isComplete) {
    scope.appendRecord(subjectRecord('complete', completeSubject, digestItem('')));
  }
  return recorded;
}

async function recordItems(connection: Statements, scope: LedgerScope, limit: number): Promise<number> {
  const items = await connection.all<{ kind: string; name: string; document: string }>(
    `SELECT kind, name, document FROM catalog_item
     WHERE NOT EXISTS (SELECT 1 FROM ledger_record WHERE subject = catalog_item.kind || '/' || catalog_item.name AND subject <> '') LIMIT ?`,
    limit,
  );
  for (const { kind, name, document } of items) {
    scope.appendRecord(subjectRecord('catalog', catalogSubject(kind, name), digestItem(document)));
  }
  return items.length;
}

interface Version {
  readonly id: number;
  readonly version: number;
  readonly bytes: number;
}

interface VersionRow extends DocumentRow {
  readonly in_reply_to: number | null;
}

/** Records archived versions first, because they are older. */
async function recordVersions(connection: Statements, scope: LedgerScope, limit: number): Promise<number> {
  const archived = await recordTable(connection, scope, limit, { table: 'archived_entry', key: 'entry_id' });
  if (archived > 0) return archived;
  return recordTable(connection, scope, limit, { table: 'entry', key: 'id' });
}

async function recordTable(
  connection: Statements,
  scope: LedgerScope,
  limit: number,
  { table, key }: { readonly table: string; readonly key: string },
): Promise<number> {
  const versions = await connection.all<Version>(
    `SELECT ${key} AS id, version, octet_length(document) AS bytes FROM ${table}
     WHERE salts IS NULL ORDER BY ${key}, version LIMIT ?`,
    limit,
  );
  let bytes = 0;
  let recorded = 0;
  for (const version of versions) {
    bytes += version.bytes;
    if (recorded > 0 && bytes > maxRecordedBytes) break;
    const { id } = version;
    const sql = `SELECT document, crc, (SELECT in_reply_to FROM entry WHERE id = ?1) AS in_reply_to
       FROM ${table} WHERE ${key} = ?1 AND version = ?2`;
    const row = await connection.get<VersionRow>(sql, id, version.version);
    const entry =
      row && unlessDamaged(() => JSON.parse(readDocument(connection, `entry ${id}`, row, () => [id])) as Entry);
    // A damaged version has no digest; empty salts mark it as examined.
    const { salts, digest } = entry ? digestEntry(entry, row.in_reply_to) : { salts: '', digest: undefined };
    await connection.run(`UPDATE ${table} SET salts = ? WHERE ${key} = ? AND version = ?`, salts, id, version.version);
    if (digest !== undefined) scope.appendRecord(entryRecord('recorded', version, digest));
    recorded += 1;
  }
  return recorded;
}
