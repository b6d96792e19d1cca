import type { Change } from '../../../entries/change-feed.port.js';
import type { LedgerRecord } from '../../../ledger/ledger-record.js';
import type { Statements as SharedStatements } from '../../sql/statements.port.js';
import { noChanges, type WriteScope } from '../../sql/write-scope.port.js';
import { checksumOfChange } from '../../stored-rows.js';
import type { Statements } from '../database/connection.js';
import { newestSequence } from './entry-writes.js';

/**
 * Returns the part of a write that stores its records and changes immediately, because writes run one after the other.
 */
export function writeScope(connection: Statements, shared: SharedStatements): WriteScope {
  return {
    changed: noChanges(),
    catalogReads: shared,
    claimCatalog: async () => undefined,
    forgetCatalog: () => undefined,
    appendRecord: (record) => appendRecord(connection, record),
    append: (change) => appendChange(connection, change),
    async renewEntries(ids) {
      // A new sequence number makes the search index read the entry again.
      const sql = 'UPDATE entry SET sequence = ? WHERE id = ?';
      for (const id of ids) connection.run(sql, newestSequence(connection) + 1, id);
    },
  };
}

/** Appends a record within the transaction of the change that it describes. */
export function appendRecord(connection: Statements, record: LedgerRecord): void {
  const sql = 'INSERT INTO ledger_record (kind, entry_id, version, subject, at_ms, digest) VALUES (?, ?, ?, ?, ?, ?)';
  connection.run(sql, record.kind, record.entryId, record.version, record.subject, record.atMs, record.digest);
}

function appendChange(connection: Statements, change: Change): void {
  const { kind, entryId, revision, notify, atMs } = change;
  const sql = 'INSERT INTO change (kind, entry_id, version, notify, at_ms, crc) VALUES (?, ?, ?, ?, ?, ?)';
  connection.run(sql, kind, entryId, revision, notify ? 1 : 0, atMs, checksumOfChange(change));
}
