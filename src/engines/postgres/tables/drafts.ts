import type { AccountKey } from '../../../auth/accounts.js';
import type { Draft, DraftSummary } from '../../../drafts/draft.js';
import type { DraftReader, DraftStore, DraftUsage, NewDraft } from '../../../drafts/draft-store.port.js';
import { revisionOf } from '../../draft-documents.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import type { SqlValue, Statements } from '../database/statements.js';
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
      const row = await connection.get<Pick<DraftRow, 'version' | 'crc'>>(
        'SELECT version, crc FROM draft WHERE user_name = $1 AND scheme = $2 AND id = $3',
        ...[userName, scheme, id],
      );
      return row && revisionOf(row);
    },
    async list({ scheme, userName }) {
      const rows = await connection.all<DraftRow & { title: string | null; size: number; attachments: number }>(
        `SELECT id, version, modified_ms, crc, title, octet_length(document)::bigint AS size,
           (SELECT count(*) FROM draft_file WHERE draft = number) AS attachments
         FROM draft WHERE user_name = $1 AND scheme = $2 ORDER BY modified_ms DESC, number DESC`,
        ...[userName, scheme],
      );
      return rows.map((row): DraftSummary => {
        const { title, size, attachments } = row;
        return { id: row.id, revision: revisionOf(row), modifiedMs: row.modified_ms, title, size, attachments };
      });
    },
    async measure({ scheme, userName }) {
      const usage = await connection.get<DraftUsage>(
        `SELECT count(DISTINCT number) AS drafts, count(draft_file.id) AS files,
           coalesce(sum(draft_file.size), 0)::bigint AS "fileBytes"
         FROM draft LEFT JOIN draft_file ON draft = number WHERE user_name = $1 AND scheme = $2`,
        ...[userName, scheme],
      );
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
  const row = await connection.get<DraftRow & DocumentRow & { readonly crc: number }>(
    `SELECT id, version, modified_ms, document, crc FROM draft WHERE user_name = $1 AND scheme = $2 AND id = $3`,
    ...[userName, scheme, id],
  );
  if (!row) return undefined;
  const json = Buffer.from(readDocument(connection, `draft ${id}`, row));
  return { id, revision: revisionOf(row), json, modifiedMs: row.modified_ms };
}

export function draftStore(connection: Statements): DraftStore {
  return {
    ...draftReader(connection),
    async put(owner, draft) {
      return putDraft(connection, owner, draft);
    },
    async remove({ scheme, userName }, id) {
      const own = 'SELECT number FROM draft WHERE user_name = $1 AND scheme = $2 AND id = $3';
      return (await removeDrafts(connection, own, userName, scheme, id)) > 0;
    },
    async removeBefore(modifiedMs, limit) {
      const oldest = 'SELECT number FROM draft WHERE modified_ms < $1 ORDER BY modified_ms LIMIT $2';
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
  const row = await connection.get<DraftRow & { attachments: number }>(
    `INSERT INTO draft (scheme, user_name, id, version, modified_ms, title, document, crc)
     VALUES ($1, $2, $3, 1, $4, $5, $6, $7)
     ON CONFLICT (user_name, scheme, id) DO UPDATE SET version = draft.version + 1,
       modified_ms = excluded.modified_ms, title = excluded.title, document = excluded.document, crc = excluded.crc
     RETURNING id, version, modified_ms, crc, (SELECT count(*) FROM draft_file WHERE draft = number) AS attachments`,
    ...[scheme, userName, id, modifiedMs, title, json, checksumOf(json)],
  );
  if (!row) throw new Error('a draft was not stored');
  const { attachments } = row;
  return { id, revision: revisionOf(row), modifiedMs, title, size: json.byteLength, attachments };
}

/** Removes drafts with their files; returns their number. */
async function removeDrafts(connection: Statements, numbers: string, ...values: SqlValue[]): Promise<number> {
  const drafts = (await connection.all<{ number: number }>(numbers, ...values)).map(({ number }) => number);
  if (drafts.length === 0) return 0;
  await connection.run('DELETE FROM draft_part WHERE draft = ANY($1)', drafts);
  await connection.run('DELETE FROM draft_file WHERE draft = ANY($1)', drafts);
  return connection.run('DELETE FROM draft WHERE number = ANY($1)', drafts);
}
