import type { Attachment } from '../../../attachments/attachment.js';
import type {
  AttachmentReader,
  AttachmentStore,
  UnreferencedState,
  VerificationProgress,
} from '../../../attachments/attachment-store.port.js';
import { attachmentIdTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { isUniqueViolation } from '../database/sqlite-errors.js';
import { entryFileReader } from './entry-files.js';
import { newestSequence } from './entry-writes.js';

/** The key of the progress of verifying all files in the table `store`. */
const verificationKey = 'file-verification';
/** How many entries the report of a damaged attachment names. */
const maxReportedEntries = 5;

export function attachmentReader(connection: Statements): AttachmentReader {
  return {
    async find(id) {
      const row = connection.get<DocumentRow>('SELECT document, crc FROM attachment WHERE id = ?', id);
      if (!row) return undefined;
      const findEntries = () => listEntries(connection, 'id', id, maxReportedEntries);
      return JSON.parse(readDocument(connection, `attachment ${id}`, row, findEntries)) as Attachment;
    },
    ...entryFileReader(connection),
    async referenced(checksums) {
      const rows = connection.all<{ checksum: string }>(
        `SELECT value AS checksum FROM json_each(?)
         WHERE EXISTS (SELECT 1 FROM attachment WHERE checksum = value)
           OR EXISTS (SELECT 1 FROM draft_file WHERE checksum = value)
           OR EXISTS (SELECT 1 FROM draft_part WHERE checksum = value)`,
        JSON.stringify(checksums),
      );
      return new Set(rows.map((row) => row.checksum));
    },
    async listEntriesOfFile(checksum, limit) {
      return listEntries(connection, 'checksum', checksum, limit);
    },
    ...fileCareReader(connection),
    async listUnextracted(afterChecksum, limit) {
      return connection
        .all<{ checksum: string; size: number; content_type: string; attempts: number }>(
          `SELECT checksum, min(content_type) AS content_type, max(attempts) AS attempts,
             (SELECT iif(json_valid(document), document ->> '$.size', 0) FROM attachment WHERE attachment.checksum = unread_file.checksum) AS size
           FROM unread_file WHERE checksum > ? GROUP BY checksum ORDER BY checksum LIMIT ?`,
          afterChecksum,
          limit,
        )
        .map((row) => ({
          checksum: row.checksum,
          size: row.size,
          contentType: row.content_type,
          attempts: row.attempts,
        }));
    },
  };
}

/** Lists entries that show an attachment, or did before an edit. */
function listEntries(connection: Statements, column: 'id' | 'checksum', value: string, limit: number): number[] {
  const sql = `SELECT DISTINCT entry_id FROM attachment JOIN attachment_entry ON attachment_id = id
    WHERE ${column} = ? ORDER BY entry_id LIMIT ?`;
  return connection.all<{ entry_id: number }>(sql, value, limit).map(({ entry_id }) => entry_id);
}

type FileCareReader = Pick<AttachmentReader, 'listFiles' | 'listUnreferenced' | 'findVerification'>;

/** What the jobs that look after the files read. */
function fileCareReader(connection: Statements): FileCareReader {
  return {
    async listFiles(afterChecksum, limit) {
      return connection.all<{ checksum: string; size: number }>(
        `SELECT checksum, min(iif(json_valid(document), document ->> '$.size', 0)) AS size FROM attachment
         WHERE checksum > ? GROUP BY checksum ORDER BY checksum LIMIT ?`,
        afterChecksum,
        limit,
      );
    },
    async listUnreferenced(state, observedMs, limit) {
      return connection
        .all<{ checksum: string }>(
          'SELECT checksum FROM unreferenced_file WHERE is_quarantined = ? AND observed_ms >= ? LIMIT ?',
          state === 'quarantined' ? 1 : 0,
          observedMs,
          limit,
        )
        .map(({ checksum }) => checksum);
    },
    async findVerification() {
      const row = connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', verificationKey);
      return row && (JSON.parse(row.value) as VerificationProgress);
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
    async markUnreadable(checksum, reason) {
      connection.run("INSERT OR REPLACE INTO file_text (checksum, text, failure) VALUES (?, '', ?)", checksum, reason);
      connection.run('DELETE FROM unread_file WHERE checksum = ?', checksum);
    },
    async observeUnreferenced(checksums, state, elapsedMs) {
      observeUnreferenced(connection, checksums, state, elapsedMs);
    },
    async forgetUnreferenced(checksums) {
      connection.run(
        'DELETE FROM unreferenced_file WHERE checksum IN (SELECT value FROM json_each(?))',
        JSON.stringify(checksums),
      );
    },
    async storeVerification(progress) {
      connection.run(
        'INSERT OR REPLACE INTO store (key, value) VALUES (?, ?)',
        verificationKey,
        JSON.stringify(progress),
      );
    },
  };
}

function observeUnreferenced(
  connection: Statements,
  checksums: readonly string[],
  state: UnreferencedState,
  elapsedMs: number,
): void {
  const isQuarantined = state === 'quarantined' ? 1 : 0;
  for (const checksum of checksums) {
    connection.run(
      `INSERT INTO unreferenced_file (checksum, is_quarantined, observed_ms) VALUES (?1, ?2, 0)
       ON CONFLICT DO UPDATE SET is_quarantined = ?2,
         observed_ms = iif(is_quarantined = ?2, observed_ms + CAST(?3 AS INTEGER), 0)`,
      checksum,
      isQuarantined,
      Math.round(elapsedMs),
    );
  }
}

/** @throws Fault conflict `attachment.id-taken` */
function insertAttachment(connection: Statements, attachment: Attachment): void {
  const document = JSON.stringify(attachment);
  try {
    connection.run(
      'INSERT INTO attachment (id, checksum, document, crc) VALUES (?, ?, ?, ?)',
      attachment.id,
      attachment.checksum,
      document,
      checksumOf(document),
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw attachmentIdTaken(attachment.id, error);
  }
}
