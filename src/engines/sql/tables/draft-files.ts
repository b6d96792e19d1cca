import type { AccountKey } from '../../../auth/accounts.js';
import type { DraftFileKey, DraftReader, DraftStore } from '../../../drafts/draft-store.port.js';
import { type FileDocument, type FileRow, toFile } from '../../draft-documents.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import type { Statements } from '../statements.port.js';

/** Subquery for the number of a draft; its values are the user name, the scheme and the id of the draft. */
const draftNumber = '(SELECT number FROM draft WHERE user_name = ? AND scheme = ? AND draft.id = ?)';

/** Values of `draftNumber`, followed by the id of the file. */
const parametersOf = ({ owner: { userName, scheme }, draftId, fileId }: DraftFileKey) =>
  [userName, scheme, draftId, fileId] as const;

const fileColumns = `draft_file.id AS id, draft_file.size AS size, checksum, document, crc,
  (SELECT CAST(coalesce(sum(draft_part.size), 0) AS bigint) FROM draft_part
   WHERE draft_part.draft = draft_file.draft AND file_id = draft_file.id) AS received`;

type FileReader = Pick<DraftReader, 'listFiles' | 'findFile' | 'listParts'>;

export function draftFileReader(connection: Statements): FileReader {
  return {
    async listFiles({ scheme, userName }, draftId) {
      const sql = `SELECT ${fileColumns} FROM draft_file WHERE draft_file.draft = ${draftNumber} ORDER BY place, id`;
      const rows = await connection.all<FileRow>(sql, userName, scheme, draftId);
      return rows.map((row) => toFile(connection, row));
    },
    async findFile(key) {
      const sql = `SELECT ${fileColumns} FROM draft_file WHERE draft_file.draft = ${draftNumber} AND draft_file.id = ?`;
      const row = await connection.get<FileRow>(sql, ...parametersOf(key));
      return row && toFile(connection, row);
    },
    async listParts(key) {
      const sql = `SELECT checksum, size FROM draft_part WHERE draft = ${draftNumber} AND file_id = ? ORDER BY place`;
      return connection.all<{ checksum: string; size: number }>(sql, ...parametersOf(key));
    },
  };
}

type FileStore = Pick<DraftStore, 'beginFile' | 'addPart' | 'completeFile' | 'removeFile'>;

export function draftFileStore(connection: Statements): FileStore {
  return {
    async beginFile(owner, draftId, file, nowMs) {
      const draft = await touch(connection, owner, draftId, nowMs);
      const { id, size, filename, fileMetadataDescription } = file;
      const document = JSON.stringify({ filename, fileMetadataDescription } satisfies FileDocument);
      await connection.run('DELETE FROM draft_part WHERE draft = ? AND file_id = ?', draft, id);
      const sql = `INSERT INTO draft_file (draft, id, place, size, checksum, document, crc)
         VALUES (?1, ?2, (SELECT coalesce(max(place), 0) + 1 FROM draft_file WHERE draft = ?1), ?3, NULL, ?4, ?5)
         ON CONFLICT (draft, id) DO UPDATE SET size = excluded.size, checksum = NULL, document = excluded.document,
           crc = excluded.crc`;
      await connection.run(sql, draft, id, size, document, checksumOf(document));
    },
    async addPart({ owner, draftId, fileId }, { checksum, size }, nowMs) {
      const draft = await touch(connection, owner, draftId, nowMs);
      const sql = `INSERT INTO draft_part (draft, file_id, place, size, checksum) VALUES (?1, ?2,
           (SELECT coalesce(max(place), 0) + 1 FROM draft_part WHERE draft = ?1 AND file_id = ?2), ?3, ?4)`;
      await connection.run(sql, draft, fileId, size, checksum);
    },
    async completeFile(key, { checksum, ...content }) {
      const { fileId } = key;
      const sql = `SELECT draft, document, crc FROM draft_file WHERE draft = ${draftNumber} AND draft_file.id = ?`;
      const row = await connection.get<DocumentRow & { draft: number }>(sql, ...parametersOf(key));
      if (!row) throw new Error(`the draft has no file ${fileId}`);
      const before = JSON.parse(readDocument(connection, `draft file ${fileId}`, row)) as FileDocument;
      const document = JSON.stringify({ ...before, ...content } satisfies FileDocument);
      await connection.run('DELETE FROM draft_part WHERE draft = ? AND file_id = ?', row.draft, fileId);
      const complete = 'UPDATE draft_file SET checksum = ?, document = ?, crc = ? WHERE draft = ? AND id = ?';
      await connection.run(complete, checksum, document, checksumOf(document), row.draft, fileId);
    },
    async removeFile(key) {
      const file = parametersOf(key);
      await connection.run(`DELETE FROM draft_part WHERE draft = ${draftNumber} AND file_id = ?`, ...file);
      return (
        (await connection.run(`DELETE FROM draft_file WHERE draft = ${draftNumber} AND draft_file.id = ?`, ...file)) > 0
      );
    },
  };
}

/** Marks a draft as changed; returns its number. */
async function touch(
  connection: Statements,
  { scheme, userName }: AccountKey,
  draftId: string,
  nowMs: number,
): Promise<number> {
  const sql = 'UPDATE draft SET modified_ms = ? WHERE user_name = ? AND scheme = ? AND id = ? RETURNING number';
  const row = await connection.get<{ number: number }>(sql, nowMs, userName, scheme, draftId);
  if (!row) throw new Error('the draft is not stored');
  return row.number;
}
