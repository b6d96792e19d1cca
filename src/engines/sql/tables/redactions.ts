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
import { insert } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import { findValue, putValue } from '../store-values.js';
import type { LedgerScope } from '../write-scope.port.js';

const add = insert('redaction', 'RETURNING number');

export function redactionReader(connection: Statements): RedactionReader {
  return {
    async listRedactions(after, limit) {
      const sql = 'SELECT number, document, crc FROM redaction WHERE number > ? ORDER BY number LIMIT ?';
      const rows = await connection.all<RedactionRow>(sql, after, limit);
      return rows.flatMap((row) => toRedaction(connection, row) ?? []);
    },
    async listFilesToRemove() {
      return JSON.parse((await findValue(connection, filesToRemoveKey)) ?? '[]') as string[];
    },
  };
}

export function redactionStore(connection: Statements, scope: LedgerScope): RedactionStore {
  const { dialect } = connection;
  return {
    ...redactionReader(connection),
    async *listVersions(entryId) {
      const numbers = 'SELECT version FROM archived_entry WHERE entry_id = ? ORDER BY version';
      const sql = 'SELECT version, document, crc, salts FROM archived_entry WHERE entry_id = ? AND version = ?';
      for (const { version } of await connection.all<{ version: number }>(numbers, entryId)) {
        const row = await connection.get<ArchivedRow>(sql, entryId, version);
        const archived = row && toArchived(connection, entryId, row);
        if (archived) yield archived;
      }
    },
    async replaceVersion({ revision, entry, salts }) {
      const json = encodeEntry(entry);
      const sql = `UPDATE archived_entry SET document = ${dialect.textOf('?')}, crc = ?, salts = ?
         WHERE entry_id = ? AND version = ?`;
      await connection.run(sql, json, checksumOf(json), salts === '' ? null : salts, entry.id, revision);
    },
    async replaceFile(attachment) {
      const { id, filename, checksum, size } = attachment;
      const sql = 'SELECT checksum FROM attachment WHERE id = ?';
      const former = await connection.get<{ checksum: string }>(sql, id);
      const document = JSON.stringify(attachment);
      const replace = 'UPDATE attachment SET checksum = ?, size = ?, document = ?, crc = ? WHERE id = ?';
      await connection.run(replace, checksum, size, document, checksumOf(document), id);
      await connection.run('UPDATE entry_file SET filename = ? WHERE attachment_id = ?', filename, id);
      if (former) await forgetText(connection, former.checksum);
    },
    async insertRedaction(redaction) {
      const document = JSON.stringify(redaction);
      // The lock makes the numbers visible in order. Otherwise, a reader that continues from the highest number would
      // miss a lower one committed later.
      if (dialect.lock !== undefined) await connection.run(dialect.lock, 'redaction of ');
      const row = await connection.get<{ number: number }>(...add({ document, crc: checksumOf(document) }));
      if (!row) throw new Error('a redaction was not stored');
      scope.appendRecord(subjectRecord('redacted', redactionSubject(row.number), digestItem(document)));
      return { ...redaction, number: row.number };
    },
    async putFilesToRemove(checksums) {
      await putValue(connection, filesToRemoveKey, JSON.stringify(checksums));
    },
  };
}

/** Removes the extracted text of a file that no longer has an attachment. */
async function forgetText(connection: Statements, checksum: string): Promise<void> {
  if (await connection.get('SELECT 1 FROM attachment WHERE checksum = ? LIMIT 1', checksum)) return;
  await connection.run('DELETE FROM file_text WHERE checksum = ?', checksum);
  await connection.run('DELETE FROM pending_text_extraction WHERE checksum = ?', checksum);
}
