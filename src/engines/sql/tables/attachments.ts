import type { Attachment } from '../../../attachments/attachment.js';
import type { AttachmentReader, AttachmentStore, TextState } from '../../../attachments/attachment-store.port.js';
import { mayHoldText } from '../../../attachments/media-type.js';
import { attachmentIdTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, isIntact, parseIntact, readDocument } from '../../stored-document.js';
import { isTextIntact, type TextRow } from '../../stored-rows.js';
import { encodeRecords, insert } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import type { ChangeScope, TextScope } from '../write-scope.port.js';
import { fileCareReader, fileCareStore } from './file-care.js';
import { putFileText } from './file-texts.js';

const add = insert('attachment', 'ON CONFLICT DO NOTHING');
/** Maximum number of entries named in the report of a damaged attachment. */
const maxReportedEntries = 5;

export type EntryFileReader = Pick<AttachmentReader, 'listShown' | 'listShowing'>;

/** @param files reads the files of entries */
export function attachmentReader(connection: Statements, files: EntryFileReader): AttachmentReader {
  const { dialect } = connection;
  return {
    ...files,
    ...fileCareReader(connection),
    async find(id) {
      const row = await connection.get<DocumentRow>('SELECT document, crc FROM attachment WHERE id = ?', id);
      if (!row) return undefined;
      const entryIds = isIntact(row) ? [] : await listEntries(connection, 'id', id, maxReportedEntries);
      return JSON.parse(readDocument(connection, `attachment ${id}`, row, () => entryIds)) as Attachment;
    },
    async referenced(checksums) {
      const rows = await connection.all<{ checksum: string }>(
        `SELECT checksum FROM ${dialect.records('asked', { checksum: 'text' })}
         WHERE EXISTS (SELECT 1 FROM attachment WHERE attachment.checksum = asked.checksum)
           OR EXISTS (SELECT 1 FROM draft_file WHERE draft_file.checksum = asked.checksum)
           OR EXISTS (SELECT 1 FROM draft_part WHERE draft_part.checksum = asked.checksum)`,
        encodeRecords(checksums.map((checksum) => ({ checksum }))),
      );
      return new Set(rows.map((row) => row.checksum));
    },
    async listEntriesOfFile(checksum, limit) {
      return listEntries(connection, 'checksum', checksum, limit);
    },
    async listUnextracted(afterChecksum, limit) {
      const sql = `SELECT checksum, min(content_type) AS content_type, max(attempts) AS attempts,
           coalesce((SELECT min(size) FROM attachment WHERE attachment.checksum = pending_text_extraction.checksum), 0) AS size
         FROM pending_text_extraction WHERE checksum > ? GROUP BY checksum ORDER BY checksum LIMIT ?`;
      const rows = await connection.all<{ checksum: string; size: number; content_type: string; attempts: number }>(
        sql,
        afterChecksum,
        limit,
      );
      return rows.map(({ content_type: contentType, ...row }) => ({ ...row, contentType }));
    },
  };
}

/** Lists entries that show an attachment, or showed it before an edit. */
async function listEntries(
  connection: Statements,
  column: 'id' | 'checksum',
  value: string,
  limit: number,
): Promise<number[]> {
  const sql = `SELECT DISTINCT entry_id FROM attachment JOIN attachment_entry ON attachment_id = id
    WHERE ${column} = ? ORDER BY entry_id LIMIT ?`;
  const rows = await connection.all<{ entry_id: number }>(sql, value, limit);
  return rows.map(({ entry_id }) => entry_id);
}

export function attachmentStore(connection: Statements, files: EntryFileReader, scope: TextScope): AttachmentStore {
  return {
    ...attachmentReader(connection, files),
    ...fileCareStore(connection),
    async insert(attachment) {
      const { id, checksum, size } = attachment;
      const document = JSON.stringify(attachment);
      const inserted = await connection.run(...add({ id, checksum, size, document, crc: checksumOf(document) }));
      if (inserted === 0) throw attachmentIdTaken(id);
    },
    async recordAttempt(checksum) {
      await connection.run('UPDATE pending_text_extraction SET attempts = attempts + 1 WHERE checksum = ?', checksum);
    },
    async storeText(checksum, text) {
      if (!(await isQueued(connection, checksum))) return;
      await connection.run(...putFileText(checksum, text, null));
      if (text !== '') {
        const sql = 'SELECT entry_id FROM pending_text_extraction WHERE checksum = ? ORDER BY entry_id';
        const entries = await connection.all<{ entry_id: number }>(sql, checksum);
        await scope.renewEntries(entries.map(({ entry_id }) => entry_id));
        for (const { entry_id } of entries) scope.changed.entries.add(entry_id);
      }
      await connection.run('DELETE FROM pending_text_extraction WHERE checksum = ?', checksum);
    },
    async markUnreadable(checksum, reason) {
      if (!(await isQueued(connection, checksum))) return;
      await connection.run(...putFileText(checksum, '', reason));
      await connection.run('DELETE FROM pending_text_extraction WHERE checksum = ?', checksum);
    },
    renewText: (checksum) => renewText(connection, scope, checksum),
  };
}

/** Implements `renewText` of the port. */
async function renewText(connection: Statements, { changed }: ChangeScope, checksum: string): Promise<TextState> {
  if (await isQueued(connection, checksum)) return 'queued';
  const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = ?';
  const row = await connection.get<TextRow>(sql, checksum);
  if (!row) return 'none';
  if (isTextIntact(row)) return 'intact';
  const attachments = await connection.all<DocumentRow & { readonly id: string }>(
    'SELECT id, document, crc FROM attachment WHERE checksum = ?',
    checksum,
  );
  let queued = 0;
  for (const attachment of attachments) {
    const contentType = parseIntact<Attachment>(connection, `attachment ${attachment.id}`, attachment)?.contentType;
    if (contentType === undefined || !mayHoldText(contentType)) continue;
    const sql = `INSERT INTO pending_text_extraction (checksum, entry_id, content_type)
       SELECT ?, entry_id, ? FROM attachment_entry WHERE attachment_id = ? ON CONFLICT DO NOTHING`;
    queued += await connection.run(sql, checksum, contentType, attachment.id);
  }
  if (queued === 0) return 'damaged';
  // Delete the text now: a node of an earlier version would otherwise replace it but keep the checksum of the damaged
  // text.
  await connection.run('DELETE FROM file_text WHERE checksum = ?', checksum);
  changed.files = true;
  return 'queued';
}

/** Whether the text of a file is still to be extracted. A redaction or another node may have dequeued it. */
async function isQueued(connection: Statements, checksum: string): Promise<boolean> {
  return (
    (await connection.get('SELECT 1 FROM pending_text_extraction WHERE checksum = ? LIMIT 1', checksum)) !== undefined
  );
}
