import type { Attachment } from '../../../attachments/attachment.js';
import type {
  AttachmentReader,
  AttachmentStore,
  TextState,
  UnreferencedState,
  VerificationProgress,
} from '../../../attachments/attachment-store.port.js';
import { mayHoldText } from '../../../attachments/media-type.js';
import { attachmentIdTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, parseIntact, readDocument } from '../../stored-document.js';
import { checksumOfText, isTextIntact, type TextRow, toStorable } from '../../stored-rows.js';
import type { Statements } from '../database/connection.js';
import { isUniqueViolation } from '../database/sqlite-errors.js';
import { entryFileReader } from './entry-files.js';
import { newestSequence } from './entry-writes.js';

type Changed = { entries: boolean; files: boolean };

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

/** Lists some entries that show a file, or did before an edit, for the report of damage. */
export function listEntriesOfFile(connection: Statements, checksum: string): number[] {
  return listEntries(connection, 'checksum', checksum, maxReportedEntries);
}

type FileCareReader = Pick<AttachmentReader, 'listFiles' | 'listUnreferenced' | 'findVerification'>;

/** Reads for the jobs that check and remove files. */
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
export function attachmentStore(connection: Statements, changed: Changed): AttachmentStore {
  return {
    ...attachmentReader(connection),
    async insert(attachment) {
      insertAttachment(connection, attachment);
    },
    async recordAttempt(checksum) {
      connection.run('UPDATE unread_file SET attempts = attempts + 1 WHERE checksum = ?', checksum);
    },
    async storeText(checksum, text) {
      if (!isQueued(connection, checksum)) return;
      putText(connection, checksum, text, null);
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
      if (!isQueued(connection, checksum)) return;
      putText(connection, checksum, '', reason);
      connection.run('DELETE FROM unread_file WHERE checksum = ?', checksum);
    },
    async renewText(checksum) {
      return renewText(connection, checksum, changed);
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

/** Stores the text of a file, or why it has none. Also that of a copy, see the folder `replica`. */
export function putText(connection: Statements, checksum: string, text: string, failure: string | null): void {
  const [storedText, storedFailure] = [toStorable(text), failure === null ? null : toStorable(failure)];
  connection.run(
    'INSERT OR REPLACE INTO file_text (checksum, text, failure, crc) VALUES (?, ?, ?, ?)',
    checksum,
    storedText,
    storedFailure,
    checksumOfText(storedText, storedFailure),
  );
}

function renewText(connection: Statements, checksum: string, changed: Pick<Changed, 'files'>): TextState {
  if (isQueued(connection, checksum)) return 'queued';
  const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = ?';
  const row = connection.get<TextRow>(sql, checksum);
  if (!row) return 'none';
  if (isTextIntact(row)) return 'intact';
  const attachments = connection.all<DocumentRow & { readonly id: string }>(
    'SELECT id, document, crc FROM attachment WHERE checksum = ?',
    checksum,
  );
  let queued = 0;
  for (const attachment of attachments) {
    const contentType = parseIntact<Attachment>(connection, `attachment ${attachment.id}`, attachment)?.contentType;
    if (contentType === undefined || !mayHoldText(contentType)) continue;
    queued += connection.run(
      `INSERT OR IGNORE INTO unread_file (checksum, entry_id, content_type)
       SELECT ?, entry_id, ? FROM attachment_entry WHERE attachment_id = ?`,
      checksum,
      contentType,
      attachment.id,
    );
  }
  if (queued === 0) return 'damaged';
  connection.run('DELETE FROM file_text WHERE checksum = ?', checksum);
  changed.files = true;
  return 'queued';
}

/** A redaction takes a file out of the queue, and its text may have been extracted in the meantime. */
function isQueued(connection: Statements, checksum: string): boolean {
  return connection.get('SELECT 1 FROM unread_file WHERE checksum = ? LIMIT 1', checksum) !== undefined;
}
