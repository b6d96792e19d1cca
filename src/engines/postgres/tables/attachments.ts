import type { Attachment } from '../../../attachments/attachment.js';
import type {
  AttachmentReader,
  AttachmentStore,
  TextState,
  VerificationProgress,
} from '../../../attachments/attachment-store.port.js';
import { mayHoldText } from '../../../attachments/media-type.js';
import { attachmentIdTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, parseIntact, readDocument } from '../../stored-document.js';
import { checksumOfText, isTextIntact, type TextRow, toStorable } from '../../stored-rows.js';
import { type Incarnation, ownTransaction } from '../database/incarnation.js';
import type { Statements } from '../database/statements.js';
import { entryFileReader } from './entry-files.js';
import { putValue } from './store-values.js';

/** The key of the progress of verifying all files in the table `store`. */
const verificationKey = 'file-verification';

export function attachmentReader(connection: Statements): AttachmentReader {
  return {
    async find(id) {
      const row = await connection.get<DocumentRow>('SELECT document, crc FROM attachment WHERE id = $1', id);
      return row && (JSON.parse(readDocument(connection, `attachment ${id}`, row)) as Attachment);
    },
    ...entryFileReader(connection),
    async referenced(checksums) {
      const rows = await connection.all<{ checksum: string }>(
        `SELECT checksum FROM unnest($1::text[]) AS asked (checksum)
         WHERE EXISTS (SELECT 1 FROM attachment WHERE attachment.checksum = asked.checksum)
           OR EXISTS (SELECT 1 FROM draft_file WHERE draft_file.checksum = asked.checksum)
           OR EXISTS (SELECT 1 FROM draft_part WHERE draft_part.checksum = asked.checksum)`,
        checksums,
      );
      return new Set(rows.map((row) => row.checksum));
    },
    async listEntriesOfFile(checksum, limit) {
      const rows = await connection.all<{ entry_id: number }>(
        `SELECT DISTINCT entry_id FROM attachment JOIN attachment_entry ON attachment_id = id
         WHERE checksum = $1 ORDER BY entry_id LIMIT $2`,
        checksum,
        limit,
      );
      return rows.map(({ entry_id }) => entry_id);
    },
    ...fileCareReader(connection),
    async listUnextracted(afterChecksum, limit) {
      const rows = await connection.all<{ checksum: string; size: number; content_type: string; attempts: number }>(
        `SELECT checksum, min(content_type) AS content_type, max(attempts) AS attempts,
           coalesce((SELECT min(size) FROM attachment WHERE attachment.checksum = unread_file.checksum), 0) AS size
         FROM unread_file WHERE checksum > $1 GROUP BY checksum ORDER BY checksum LIMIT $2`,
        afterChecksum,
        limit,
      );
      return rows.map(({ content_type: contentType, ...row }) => ({ ...row, contentType }));
    },
  };
}

type FileCareReader = Pick<AttachmentReader, 'listFiles' | 'listUnreferenced' | 'findVerification'>;

/** Reads for the jobs that check and remove files. */
function fileCareReader(connection: Statements): FileCareReader {
  return {
    async listFiles(afterChecksum, limit) {
      return connection.all<{ checksum: string; size: number }>(
        `SELECT checksum, min(size) AS size FROM attachment
         WHERE checksum > $1 GROUP BY checksum ORDER BY checksum LIMIT $2`,
        afterChecksum,
        limit,
      );
    },
    async listUnreferenced(state, observedMs, limit) {
      const rows = await connection.all<{ checksum: string }>(
        'SELECT checksum FROM unreferenced_file WHERE is_quarantined = $1 AND observed_ms >= $2 LIMIT $3',
        state === 'quarantined',
        observedMs,
        limit,
      );
      return rows.map(({ checksum }) => checksum);
    },
    async findVerification() {
      const sql = 'SELECT value FROM store WHERE key = $1';
      const row = await connection.get<{ value: string }>(sql, verificationKey);
      return row && (JSON.parse(row.value) as VerificationProgress);
    },
  };
}

/** @param changed set when a write changes what the search index reads */
export function attachmentStore(
  connection: Statements,
  changed: { entries: boolean; files: boolean },
  incarnation: Incarnation,
): AttachmentStore {
  return {
    ...attachmentReader(connection),
    async insert(attachment) {
      const { id, checksum, size } = attachment;
      const document = JSON.stringify(attachment);
      const inserted = await connection.run(
        'INSERT INTO attachment (id, checksum, size, document, crc) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
        ...[id, checksum, size, document, checksumOf(document)],
      );
      if (inserted === 0) throw attachmentIdTaken(id);
    },
    async recordAttempt(checksum) {
      await connection.run('UPDATE unread_file SET attempts = attempts + 1 WHERE checksum = $1', checksum);
    },
    async storeText(checksum, text) {
      await putText(connection, checksum, text, null);
      if (text === '') {
        await connection.run('DELETE FROM unread_file WHERE checksum = $1', checksum);
        return;
      }
      // As a new write of its entries: the search index reads them again, with the text.
      const entries = await connection.run(
        `WITH extracted AS (DELETE FROM unread_file WHERE checksum = $1 RETURNING entry_id)
         UPDATE entry SET write_xid = ${ownTransaction} + $2::bigint WHERE id IN (SELECT entry_id FROM extracted)`,
        checksum,
        incarnation.offset,
      );
      changed.entries ||= entries > 0;
    },
    async markUnreadable(checksum, reason) {
      await putText(connection, checksum, '', reason);
      await connection.run('DELETE FROM unread_file WHERE checksum = $1', checksum);
    },
    renewText: (checksum) => renewText(connection, changed, checksum),
    async observeUnreferenced(checksums, state, elapsedMs) {
      await connection.run(
        `INSERT INTO unreferenced_file (checksum, is_quarantined, observed_ms) SELECT unnest($1::text[]), $2, 0
         ON CONFLICT (checksum) DO UPDATE SET is_quarantined = excluded.is_quarantined,
           observed_ms = CASE WHEN unreferenced_file.is_quarantined = excluded.is_quarantined
             THEN unreferenced_file.observed_ms + $3::bigint ELSE 0 END`,
        [...new Set(checksums)],
        state === 'quarantined',
        Math.round(elapsedMs),
      );
    },
    async forgetUnreferenced(checksums) {
      await connection.run('DELETE FROM unreferenced_file WHERE checksum = ANY($1)', checksums);
    },
    async storeVerification(progress) {
      await putValue(connection, verificationKey, JSON.stringify(progress));
    },
  };
}

/**
 * Stores the text of a file that is in the queue: a redaction takes a file out of it, and its text may have been
 * extracted in the meantime.
 */
async function putText(connection: Statements, checksum: string, text: string, failure: string | null): Promise<void> {
  const [storedText, storedFailure] = [toStorable(text), failure === null ? null : toStorable(failure)];
  await connection.run(
    `INSERT INTO file_text (checksum, text, failure, crc)
       SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT 1 FROM unread_file WHERE checksum = $1)
     ON CONFLICT (checksum) DO UPDATE SET text = excluded.text, failure = excluded.failure, crc = excluded.crc`,
    checksum,
    storedText,
    storedFailure,
    checksumOfText(storedText, storedFailure),
  );
}

/** See `renewText` of the port. */
async function renewText(connection: Statements, changed: { files: boolean }, checksum: string): Promise<TextState> {
  if (await connection.get('SELECT 1 FROM unread_file WHERE checksum = $1 LIMIT 1', checksum)) return 'queued';
  const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = $1';
  const row = await connection.get<TextRow>(sql, checksum);
  if (!row) return 'none';
  if (isTextIntact(row)) return 'intact';
  const attachments = await connection.all<DocumentRow & { readonly id: string }>(
    'SELECT id, document, crc FROM attachment WHERE checksum = $1',
    checksum,
  );
  let queued = 0;
  for (const attachment of attachments) {
    const contentType = parseIntact<Attachment>(connection, `attachment ${attachment.id}`, attachment)?.contentType;
    if (contentType === undefined || !mayHoldText(contentType)) continue;
    queued += await connection.run(
      `INSERT INTO unread_file (checksum, entry_id, content_type)
       SELECT $1, entry_id, $2 FROM attachment_entry WHERE attachment_id = $3 ON CONFLICT DO NOTHING`,
      checksum,
      contentType,
      attachment.id,
    );
  }
  if (queued === 0) return 'damaged';
  // Not kept until then: an earlier version of the program that runs on another node would keep the checksum of the
  // damaged text.
  await connection.run('DELETE FROM file_text WHERE checksum = $1', checksum);
  changed.files = true;
  return 'queued';
}
