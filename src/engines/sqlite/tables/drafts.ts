import type { AccountKey } from '../../../auth/accounts.js';
import type { Draft, DraftSummary } from '../../../drafts/draft.js';
import type { DraftReader, DraftStore, DraftUsage, NewDraft } from '../../../drafts/draft-store.port.js';
import { revisionOf } from '../../draft-documents.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { draftFileReader, draftFileStore } from './draft-files.js';

const ofOwner = 'user_name = ? AND scheme = ?';

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
      const row = connection.get<Pick<DraftRow, 'version' | 'crc'>>(
        `SELECT version, crc FROM draft WHERE ${ofOwner} AND id = ?`,
        userName,
        scheme,
        id,
      );
      return row && revisionOf(row);
    },
    async list({ scheme, userName }) {
      return connection
        .all<DraftRow & { title: string | null; size: number; attachments: number }>(
          `SELECT id, version, modified_ms, crc, title, octet_length(document) AS size,
             (SELECT count(*) FROM draft_file WHERE draft = number) AS attachments
           FROM draft WHERE ${ofOwner} ORDER BY modified_ms DESC, number DESC`,
          userName,
          scheme,
        )
        .map((row): DraftSummary => {
          const { title, size, attachments } = row;
          return { id: row.id, revision: revisionOf(row), modifiedMs: row.modified_ms, title, size, attachments };
        });
    },
    async measure({ scheme, userName }) {
      const usage = connection.get<DraftUsage>(
        `SELECT count(DISTINCT number) AS drafts, count(draft_file.id) AS files,
           coalesce(sum(draft_file.size), 0) AS fileBytes
         FROM draft LEFT JOIN draft_file ON draft = number WHERE ${ofOwner}`,
        userName,
        scheme,
      );
      return usage ?? { drafts: 0, files: 0, fileBytes: 0 };
    },
    ...draftFileReader(connection),
  };
}

function findDraft(connection: Statements, { scheme, userName }: AccountKey, id: string): Draft | undefined {
  const row = connection.get<DraftRow & DocumentRow<Uint8Array>>(
    `SELECT id, version, modified_ms, CAST(document AS BLOB) AS document, crc FROM draft WHERE ${ofOwner} AND id = ?`,
    userName,
    scheme,
    id,
  );
  if (!row) return undefined;
  return {
    id,
    revision: revisionOf(row),
    json: readDocument(connection, `draft ${id}`, row),
    modifiedMs: row.modified_ms,
  };
}

export function draftStore(connection: Statements): DraftStore {
  return {
    ...draftReader(connection),
    async put(owner, draft) {
      return putDraft(connection, owner, draft);
    },
    async remove({ scheme, userName }, id) {
      return removeDrafts(connection, `${ofOwner} AND id = ?`, userName, scheme, id) > 0;
    },
    async removeBefore(modifiedMs, limit) {
      const oldest = 'SELECT number FROM draft WHERE modified_ms < ? ORDER BY modified_ms LIMIT ?';
      return removeDrafts(connection, `number IN (${oldest})`, modifiedMs, limit);
    },
    ...draftFileStore(connection),
  };
}

function putDraft(
  connection: Statements,
  { scheme, userName }: AccountKey,
  { id, json, title, modifiedMs }: NewDraft,
): DraftSummary {
  const row = connection.get<DraftRow & { attachments: number }>(
    `INSERT INTO draft (scheme, user_name, id, version, modified_ms, title, document, crc)
     VALUES (?, ?, ?, 1, ?, ?, CAST(? AS TEXT), ?)
     ON CONFLICT (user_name, scheme, id) DO UPDATE SET version = version + 1, modified_ms = excluded.modified_ms,
       title = excluded.title, document = excluded.document, crc = excluded.crc
     RETURNING id, version, modified_ms, crc, (SELECT count(*) FROM draft_file WHERE draft = number) AS attachments`,
    scheme,
    userName,
    id,
    modifiedMs,
    title,
    json,
    checksumOf(json),
  );
  if (!row) throw new Error('a draft was not stored');
  return {
    id,
    revision: revisionOf(row),
    modifiedMs,
    title,
    size: json.byteLength,
    attachments: row.attachments,
  };
}

/** Removes drafts with their files; returns their number. */
function removeDrafts(connection: Statements, condition: string, ...values: (string | number)[]): number {
  const drafts = `SELECT number FROM draft WHERE ${condition}`;
  connection.run(`DELETE FROM draft_part WHERE draft IN (${drafts})`, ...values);
  connection.run(`DELETE FROM draft_file WHERE draft IN (${drafts})`, ...values);
  return connection.run(`DELETE FROM draft WHERE ${condition}`, ...values);
}
