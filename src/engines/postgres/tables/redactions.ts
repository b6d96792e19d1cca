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
import type { Statements } from '../database/statements.js';
import type { LedgerScope } from './ledger.js';
import { putValue } from './store-values.js';

export function redactionReader(connection: Statements): RedactionReader {
  return {
    async listRedactions(after, limit) {
      const sql = 'SELECT number, document, crc FROM redaction WHERE number > $1 ORDER BY number LIMIT $2';
      const rows = await connection.all<RedactionRow>(sql, after, limit);
      return rows.flatMap((row) => toRedaction(connection, row) ?? []);
    },
    async listFilesToRemove() {
      const row = await connection.get<{ value: string }>('SELECT value FROM store WHERE key = $1', filesToRemoveKey);
      return row ? (JSON.parse(row.value) as string[]) : [];
    },
  };
}

export function redactionStore(connection: Statements, scope: LedgerScope): RedactionStore {
  return {
    ...redactionReader(connection),
    async *listVersions(entryId) {
      const numbers = 'SELECT version FROM archived_entry WHERE entry_id = $1 ORDER BY version';
      const sql = 'SELECT version, document, crc, salts FROM archived_entry WHERE entry_id = $1 AND version = $2';
      for (const { version } of await connection.all<{ version: number }>(numbers, entryId)) {
        const row = await connection.get<ArchivedRow>(sql, entryId, version);
        const archived = row && toArchived(connection, entryId, row);
        if (archived) yield archived;
      }
    },
    async replaceVersion({ version, entry, salts }) {
      const json = encodeEntry(entry);
      await connection.run(
        'UPDATE archived_entry SET document = $1, crc = $2, salts = $3 WHERE entry_id = $4 AND version = $5',
        json,
        checksumOf(json),
        salts === '' ? null : salts,
        entry.id,
        version,
      );
    },
    async replaceFile(attachment) {
      const { id, filename, checksum, size } = attachment;
      const sql = 'SELECT checksum FROM attachment WHERE id = $1';
      const former = await connection.get<{ checksum: string }>(sql, id);
      const document = JSON.stringify(attachment);
      await connection.run(
        'UPDATE attachment SET checksum = $1, size = $2, document = $3, crc = $4 WHERE id = $5',
        checksum,
        size,
        document,
        checksumOf(document),
        id,
      );
      await connection.run('UPDATE entry_file SET filename = $1 WHERE attachment_id = $2', filename, id);
      if (former) await forgetText(connection, former.checksum);
    },
    async insertRedaction(redaction) {
      const document = JSON.stringify(redaction);
      // The lock makes the numbers visible in order. A reader that follows them would otherwise miss a lower number
      // that is committed later.
      await connection.run("SELECT pg_advisory_xact_lock(hashtextextended('redaction of ' || current_schema(), 0))");
      const row = await connection.get<{ number: number }>(
        'INSERT INTO redaction (document, crc) VALUES ($1, $2) RETURNING number',
        document,
        checksumOf(document),
      );
      if (!row) throw new Error('a redaction was not stored');
      scope.appendRecord(subjectRecord('redacted', redactionSubject(row.number), digestItem(document)));
      return { ...redaction, number: row.number };
    },
    async putFilesToRemove(checksums) {
      await putValue(connection, filesToRemoveKey, JSON.stringify(checksums));
    },
  };
}

/** Removes the extracted text of a file that no attachment has any more. */
async function forgetText(connection: Statements, checksum: string): Promise<void> {
  if (await connection.get('SELECT 1 FROM attachment WHERE checksum = $1 LIMIT 1', checksum)) return;
  await connection.run('DELETE FROM file_text WHERE checksum = $1', checksum);
  await connection.run('DELETE FROM unread_file WHERE checksum = $1', checksum);
}
