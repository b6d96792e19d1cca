import type { Attachment } from '../../../attachments/attachment.js';
import type { AttachmentReader, AttachmentStore } from '../../../attachments/attachment-store.port.js';
import { Fault, quoted } from '../../../kernel/fault.js';
import type { Statements } from '../database/connection.js';
import { isUniqueViolation } from '../database/sqlite-errors.js';
import { newestSequence } from './entry-writes.js';

export function attachmentReader(connection: Statements): AttachmentReader {
  return {
    async find(id) {
      const row = connection.get<{ document: string }>('SELECT document FROM attachment WHERE id = ?', id);
      return row && (JSON.parse(row.document) as Attachment);
    },
    async listEntriesOf(id) {
      return connection
        .all<{ entry_id: number }>(
          'SELECT entry_id FROM attachment_entry WHERE attachment_id = ? ORDER BY entry_id',
          id,
        )
        .map(({ entry_id }) => entry_id);
    },
    async referenced(checksums) {
      const rows = connection.all<{ checksum: string }>(
        'SELECT DISTINCT checksum FROM attachment WHERE checksum IN (SELECT value FROM json_each(?))',
        JSON.stringify(checksums),
      );
      return new Set(rows.map((row) => row.checksum));
    },
    async listUnextracted(afterChecksum, limit) {
      return connection
        .all<{ checksum: string; content_type: string; attempts: number }>(
          `SELECT checksum, min(content_type) AS content_type, max(attempts) AS attempts FROM unread_file
           WHERE checksum > ? GROUP BY checksum ORDER BY checksum LIMIT ?`,
          afterChecksum,
          limit,
        )
        .map((row) => ({ checksum: row.checksum, contentType: row.content_type, attempts: row.attempts }));
    },
  };
}

/** @param changed set when a write changes what the search index reads */
export function attachmentStore(connection: Statements, changed: { entries: boolean }): AttachmentStore {
  return {
    ...attachmentReader(connection),
    async insert(attachment) {
      insertAttachment(connection, attachment);
    },
    async recordAttempt(checksum) {
      connection.run('UPDATE unread_file SET attempts = attempts + 1 WHERE checksum = ?', checksum);
    },
    async storeText(checksum, text) {
      connection.run('INSERT OR REPLACE INTO file_text (checksum, text) VALUES (?, ?)', checksum, text);
      if (text !== '') {
        const entries = connection.all<{ entry_id: number }>(
          'SELECT entry_id FROM unread_file WHERE checksum = ?',
          checksum,
        );
        // A new sequence number makes the search index read the entry again, with the text.
        changed.entries ||= entries.length > 0;
        for (const { entry_id } of entries) {
          connection.run('UPDATE entry SET sequence = ? WHERE id = ?', newestSequence(connection) + 1, entry_id);
        }
      }
      connection.run('DELETE FROM unread_file WHERE checksum = ?', checksum);
    },
  };
}

/** @throws Fault conflict `attachment.id-taken` */
function insertAttachment(connection: Statements, attachment: Attachment): void {
  try {
    connection.run(
      'INSERT INTO attachment (id, checksum, document) VALUES (?, ?, ?)',
      attachment.id,
      attachment.checksum,
      JSON.stringify(attachment),
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Fault(
      'conflict',
      'attachment.id-taken',
      `An attachment with the id ${quoted(attachment.id)} already exists. Choose another id, for example a new UUID.`,
      { cause: error },
    );
  }
}
