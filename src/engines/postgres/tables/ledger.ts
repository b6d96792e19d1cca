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
import { inFinalOrder } from '../database/incarnation.js';
import type { Statements } from '../database/statements.js';

/** Part of a write that receives its records. */
export interface LedgerScope {
  /** @throws Error when the write has ended */
  appendRecord(record: LedgerRecord): void;
}

export function ledgerReader(connection: Statements): LedgerReader {
  return {
    async listRecordsAfter(sequence, limit) {
      const rows = await connection.all<RecordRow>(
        `SELECT * FROM ledger_record WHERE ${inFinalOrder} AND sequence > $1 ORDER BY sequence LIMIT $2`,
        sequence,
        limit,
      );
      return rows.map(toRecord);
    },
    async findTile(level, position) {
      const sql = 'SELECT * FROM ledger_tile WHERE level = $1 AND position = $2';
      const row = await connection.get<TileRow>(sql, level, position);
      return row && toTile(row);
    },
    async findNewestTile() {
      const row = await connection.get<TileRow>(
        'SELECT * FROM ledger_tile WHERE level = 0 ORDER BY position DESC LIMIT 1',
      );
      return row && toTile(row);
    },
  };
}

/** @param scope takes the records, which are stored with those of the writes that share the transaction */
export function ledgerStore(connection: Statements, scope: LedgerScope): LedgerStore {
  return {
    ...ledgerReader(connection),
    async putTile({ level, position, lastSequence, hashes }) {
      await connection.run(
        `INSERT INTO ledger_tile (level, position, last_sequence, hashes) VALUES ($1, $2, $3, $4)
         ON CONFLICT (level, position) DO UPDATE SET last_sequence = excluded.last_sequence, hashes = excluded.hashes`,
        level,
        position,
        lastSequence,
        hashes.join(''),
      );
    },
    async recordEarlier(limit) {
      const recorded = (await recordItems(connection, scope, limit)) + (await recordVersions(connection, scope, limit));
      if (recorded === 0 && !(await isComplete(connection))) {
        scope.appendRecord(subjectRecord('complete', completeSubject, digestItem('')));
      }
      return recorded;
    },
    async appendCheckpoint(number, document) {
      const sql = 'INSERT INTO ledger_checkpoint (number, document, crc) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      if ((await connection.run(sql, number, document, checksumOf(document))) === 0) throw numberTaken();
    },
  };
}

async function isComplete(connection: Statements): Promise<boolean> {
  const sql = "SELECT 1 FROM ledger_record WHERE subject = $1 AND subject <> ''";
  return (await connection.get(sql, completeSubject)) !== undefined;
}

async function recordItems(connection: Statements, scope: LedgerScope, limit: number): Promise<number> {
  const items = await connection.all<{ kind: string; name: string; document: string }>(
    `SELECT kind, name, document FROM catalog_item
     WHERE NOT EXISTS (SELECT 1 FROM ledger_record WHERE subject = catalog_item.kind || '/' || catalog_item.name AND subject <> '') LIMIT $1`,
    limit,
  );
  for (const { kind, name, document } of items) {
    scope.appendRecord(subjectRecord('catalog', catalogSubject(kind, name), digestItem(document)));
  }
  return items.length;
}

interface Version extends DocumentRow {
  readonly id: number;
  readonly version: number;
  readonly in_reply_to: number | null;
}

/** The archived versions first: they are older. */
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
    `SELECT id, version, document, crc, (SELECT in_reply_to FROM entry WHERE entry.id = measured.id) FROM (
       SELECT ${key} AS id, version, document, crc, sum(octet_length(document)) OVER (ORDER BY ${key}, version) AS bytes,
         row_number() OVER (ORDER BY ${key}, version) AS place
       FROM (SELECT * FROM ${table} WHERE salts IS NULL ORDER BY ${key}, version LIMIT $1) AS unrecorded
     ) AS measured WHERE place = 1 OR bytes <= $2 ORDER BY place`,
    limit,
    maxRecordedBytes,
  );
  for (const version of versions) {
    const subject = `entry ${version.id}`;
    const entry = unlessDamaged(
      () => JSON.parse(readDocument(connection, subject, version, () => [version.id])) as Entry,
    );
    // Nothing can be said of a damaged one, which must not be looked at again and again.
    const { salts, digest } = entry ? digestEntry(entry, version.in_reply_to) : { salts: '', digest: undefined };
    const sql = `UPDATE ${table} SET salts = $1 WHERE ${key} = $2 AND version = $3`;
    await connection.run(sql, salts, version.id, version.version);
    if (digest !== undefined) scope.appendRecord(entryRecord('recorded', version, digest));
  }
  return versions.length;
}
