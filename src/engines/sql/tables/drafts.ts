import type { AccountKey } from '../../../auth/accounts.js';
import type { Draft, DraftSummary } from '../../../drafts/draft.js';
import type { DraftReader, DraftStore, DraftUsage, NewDraft } from '../../../drafts/draft-store.port.js';
import { revisionOf } from '../../draft-documents.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import type { SqlValue } from '../dialect.js';
import { toBytes } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import { draftFileReader, draftFileStore } from './draft-files.js';

interface DraftRow {
  readonly id: string;
  readonly version: number;
  readonly modified_ms: number;
  readonly crc: number;
}

export function draftReader(connection: Statements): DraftReader {
  return {
    async find(owner, id) {
      return findDraft(connection, owner, id);
    },
    async findRevision({ scheme, userName }, id) {
      const sql = 'SELECT version, crc FROM draft WHERE user_name = ? AND scheme = ? AND id = ?';
      const row = await connection.get<Pick<DraftRow, 'version' | 'crc'>>(sql, userName, scheme, id);
      return row && revisionOf(row);
    },
    async list({ scheme, userName }) {
      const sql = `SELECT id, version, modified_ms, crc, title, octet_length(document) AS size,
           (SELECT count(*) FROM draft_file WHERE draft = number) AS attachments
         FROM draft WHERE user_name = ? AND scheme = ? ORDER BY modified_ms DESC, number DESC`;
      const rows = await connection.all<DraftRow & { title: string | null; size: number; attachments: number }>(
        sql,
        userName,
        scheme,
      );
      return rows.map((row): DraftSummary => {
        const { title, size, attachments } = row;
        return { id: row.id, revision: revisionOf(row), modifiedMs: row.modified_ms, title, size, attachments };
      });
    },
    async measure({ scheme, userName }) {
      const sql = `SELECT count(DISTINCT number) AS drafts, count(draft_file.id) AS files,
           CAST(coalesce(sum(draft_file.size), 0) AS bigint) AS "fileBytes"
         FROM draft LEFT JOIN draft_file ON draft = number WHERE user_name = ? AND scheme = ?`;
      const usage = await connection.get<DraftUsage>(sql, userName, scheme);
      return usage ?? { drafts: 0, files: 0, fileBytes: 0 };
    },
    ...draftFileReader(connection),
  };
}

async function findDraft(
  connection: Statements,
  { scheme, userName }: AccountKey,
  id: string,
): Promise<Draft | undefined> {
  const sql = `SELECT id, version, modified_ms, ${connection.dialect.bytesOf('document')} AS document, crc FROM draft
     WHERE user_name = ? AND scheme = ? AND id = ?`;
  const row = await connection.get<DraftRow & DocumentRow<string | Uint8Array>>(sql, userName, scheme, id);
  if (!row) return undefined;
  const json = toBytes(readDocument(connection, `draft ${id}`, row));
  return { id, revision: revisionOf(row), json, modifiedMs: row.modified_ms };
}

export function draftStore(connection: Statements): DraftStore {
  return {
    ...draftReader(connection),
    async put(owner, draft) {
      return putDraft(connection, owner, draft);
    },
    async remove({ scheme, userName }, id) {
      const own = 'SELECT number FROM draft WHERE user_name = ? AND scheme = ? AND id = ?';
      return (await removeDrafts(connection, own, userName, scheme, id)) > 0;
    },
    async removeBefore(modifiedMs, limit) {
      const oldest = 'SELECT number FROM draft WHERE modified_ms < ? ORDER BY modified_ms LIMIT ?';
      return removeDrafts(connection, oldest, modifiedMs, limit);
    },
    ...draftFileStore(connection),
  };
}

async function putDraft(
  connection: Statements,
  { scheme, userName }: AccountKey,
  { id, json, title, modifiedMs }: NewDraft,
): Promise<DraftSummary> {
  const sql = `INSERT INTO draft (scheme, user_name, id, version, modified_ms, title, document, crc)
     VALUES (?, ?, ?, 1, ?, ?, ${connection.dialect.textOf('?')}, ?)
     ON CONFLICT (user_name, scheme, id) DO UPDATE SET version = draft.version + 1,
       modified_ms = excluded.modified_ms, title = excluded.title, document = excluded.document, crc = excluded.crc
     RETURNING id, version, modified_ms, crc, (SELECT count(*) FROM draft_file WHERE draft = number) AS attachments`;
  const row = await connection.get<DraftRow & { attachments: number }>(
    sql,
    scheme,
    userName,
    id,
    modifiedMs,
    title,
    json,
    checksumOf(json),
  );
  if (!row) throw new Error('a draft was not stored');
  const { attachments } = row;
  return { id, revision: revisionOf(row), modifiedMs, title, size: json.byteLength, attachments };
}

/** Removes drafts with their files; returns the number of drafts removed. */
async function removeDrafts(connection: Statements, numbers: string, ...values: SqlValue[]): Promise<number> {
  const drafts = (await connection.all<{ number: number }>(numbers, ...values)).map(({ number }) => number);
  if (drafts.length === 0) return 0;
  const { dialect } = connection;
  for (const table of ['draft_part', 'draft_file']) {
    await connection.run(`DELETE FROM ${table} WHERE ${dialect.isIn('draft', 'bigint')}`, drafts);
  }
  return connection.run(`DELETE FROM draft WHERE ${dialect.isIn('number', 'bigint')}`, drafts);
}
