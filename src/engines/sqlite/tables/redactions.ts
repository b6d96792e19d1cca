import { encodeEntry } from '../../../entries/entry-json.js';
import type { RedactionReader, RedactionStore } from '../../../entries/redaction-store.port.js';
import { digestItem } from '../../../ledger/ledger-record.js';
import { subjectRecord } from '../../ledger-rows.js';
import {
  type ArchivedRow,
  filesToRemoveKey,
  type RedactionRow,
  redactionSubject,
  toArchived,
  toRedaction,
} from '../../redaction-documents.js';
import { checksumOf } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { appendRecord } from './ledger.js';

export function redactionReader(connection: Statements): RedactionReader {
  return {
    async listRedactions(after, limit) {
      const sql = 'SELECT number, document, crc FROM redaction WHERE number > ? ORDER BY number LIMIT ?';
      return connection.all<RedactionRow>(sql, after, limit).flatMap((row) => toRedaction(connection, row) ?? []);
    },
    async listFilesToRemove() {
      const row = connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', filesToRemoveKey);
      return row ? (JSON.parse(row.value) as string[]) : [];
    },
  };
}

export function redactionStore(connection: Statements): RedactionStore {
  return {
    ...redactionReader(connection),
    async *listVersions(entryId) {
      const numbers = 'SELECT version FROM archived_entry WHERE entry_id = ? ORDER BY version';
      const sql = 'SELECT version, document, crc, salts FROM archived_entry WHERE entry_id = ? AND version = ?';
      for (const { version } of connection.all<{ version: number }>(numbers, entryId)) {
        const row = connection.get<ArchivedRow>(sql, entryId, version);
        const archived = row && toArchived(connection, entryId, row);
        if (archived) yield archived;
      }
    },
    async replaceVersion({ version, entry, salts }) {
      const json = encodeEntry(entry);
      connection.run(
        'UPDATE archived_entry SET document = CAST(? AS TEXT), crc = ?, salts = ? WHERE entry_id = ? AND version = ?',
        json,
        checksumOf(json),
        salts === '' ? null : salts,
        entry.id,
        version,
      );
    },
    async replaceFile(attachment) {
      const { id, filename, checksum } = attachment;
      const former = connection.get<{ checksum: string }>('SELECT checksum FROM attachment WHERE id = ?', id);
      const document = JSON.stringify(attachment);
      connection.run(
        'UPDATE attachment SET checksum = ?, document = ?, crc = ? WHERE id = ?',
        checksum,
        document,
        checksumOf(document),
        id,
      );
      connection.run('UPDATE entry_file SET filename = ? WHERE attachment_id = ?', filename, id);
      if (former) forgetText(connection, former.checksum);
    },
    async insertRedaction(redaction) {
      const document = JSON.stringify(redaction);
      const row = connection.get<{ number: number }>(
        'INSERT INTO redaction (document, crc) VALUES (?, ?) RETURNING number',
        document,
        checksumOf(document),
      );
      if (!row) throw new Error('a redaction was not stored');
      appendRecord(connection, subjectRecord('redacted', redactionSubject(row.number), digestItem(document)));
      return { ...redaction, number: row.number };
    },
    async putFilesToRemove(checksums) {
      connection.run(
        'INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)',
        filesToRemoveKey,
        JSON.stringify(checksums),
      );
    },
  };
}

/** Removes the extracted text of a file that no attachment has any more. */
function forgetText(connection: Statements, checksum: string): void {
  if (connection.get('SELECT 1 FROM attachment WHERE checksum = ? LIMIT 1', checksum)) return;
  connection.run('DELETE FROM file_text WHERE checksum = ?', checksum);
  connection.run('DELETE FROM unread_file WHERE checksum = ?', checksum);
}
