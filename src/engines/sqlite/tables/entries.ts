import { mayHoldText } from '../../../attachments/media-type.js';
import type { Entry, GivenEntryDocument, NewEntryDocument } from '../../../entries/entry.js';
import { encodeEntry, StoredEntry } from '../../../entries/entry-json.js';
import type { EntryOrigin, EntryReader, EntryStore } from '../../../entries/entry-store.port.js';
import { encodeGrown } from '../../../entries/grown-entry.js';
import { digestAnnotated, digestEntry, listExtents } from '../../../ledger/entry-digest.js';
import { entryRecord } from '../../ledger-rows.js';
import type { ChangeScope } from '../../sql/write-scope.port.js';
import { entryIdTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import type { EntryIds } from '../entry-ids.js';
import { recordFiles } from './entry-files.js';
import { isInOrder, recordBackdated } from './entry-order.js';
import { versionNumber, withVersionNumber } from './entry-version.js';
import { newestSequence } from './entry-writes.js';
import { appendRecord } from './write-scope.js';

/** Minimum size, in bytes, of a document whose former pages are released before it is replaced. */
const longDocumentBytes = 16_384;

interface EntryRow extends DocumentRow<Uint8Array> {
  version: number;
}

export function entryReader(connection: Statements): EntryReader {
  return {
    async find(id) {
      const row = connection.get<EntryRow>(
        'SELECT version, CAST(document AS BLOB) AS document, crc FROM entry WHERE id = ?',
        id,
      );
      return row && toStored(connection, id, row);
    },
    async findSize(id) {
      return connection.get<{ bytes: number }>('SELECT octet_length(document) AS bytes FROM entry WHERE id = ?', id)
        ?.bytes;
    },
    async findParent(id) {
      const row = connection.get<{ parent: number | null }>('SELECT in_reply_to AS parent FROM entry WHERE id = ?', id);
      return row?.parent ?? undefined;
    },
    async findJson(id, version) {
      return findVersionJson(connection, id, version);
    },
    async findVersion(id, number) {
      if (number < 1) return undefined;
      const found = connection.get<{ version: number }>(
        `SELECT version FROM (
           SELECT version FROM archived_entry WHERE entry_id = ?1 UNION ALL SELECT version FROM entry WHERE id = ?1
         ) ORDER BY version LIMIT 1 OFFSET ?2`,
        id,
        number - 1,
      );
      const json = found && findVersionJson(connection, id, found.version);
      return json && new StoredEntry(id, found.version, json);
    },
    async *listArchived(id) {
      const versions = connection.all<{ version: number }>(
        'SELECT version FROM archived_entry WHERE entry_id = ? ORDER BY version DESC',
        id,
      );
      for (const { version } of versions) {
        const row = connection.get<EntryRow>(
          'SELECT version, CAST(document AS BLOB) AS document, crc FROM archived_entry WHERE entry_id = ? AND version = ?',
          id,
          version,
        );
        if (row) yield toStored(connection, id, row);
      }
    },
  };
}

/** Implements `findJson` of the port. */
export function findVersionJson(
  connection: Pick<Statements, 'get' | 'reportDamage'>,
  id: number,
  version: number,
): Uint8Array | undefined {
  const row = connection.get<EntryRow>(
    `SELECT version, CAST(document AS BLOB) AS document, crc FROM (
       SELECT version, document, crc FROM archived_entry WHERE entry_id = ?1 AND version >= ?2
       UNION ALL SELECT version, document, crc FROM entry WHERE id = ?1 AND version >= ?2
     ) ORDER BY version LIMIT 1`,
    id,
    version,
  );
  return row && readShown(connection, id, row);
}

function readShown(connection: Pick<Statements, 'get' | 'reportDamage'>, id: number, row: EntryRow): Uint8Array {
  const document = readDocument(connection, `entry ${id}`, row, () => [id]);
  return withVersionNumber(document, () => versionNumber(connection, id, row.version));
}

function toStored(connection: Statements, id: number, row: EntryRow): StoredEntry {
  return new StoredEntry(id, row.version, readShown(connection, id, row));
}

interface EntryScope extends ChangeScope {
  readonly ids: EntryIds;
}

export function entryStore(connection: Statements, scope: EntryScope): EntryStore {
  return {
    ...entryReader(connection),
    async insert(draft, origin = {}) {
      return insertEntry(connection, scope, draft, origin);
    },
    async reserveId() {
      const id = takeNextId(connection, scope);
      connection.run("DELETE FROM sqlite_sequence WHERE name = 'entry'");
      connection.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('entry', ?)", id);
      return id;
    },
    async insertGiven(draft, origin = {}) {
      return insertGiven(connection, scope, draft, origin);
    },
    async findCreatedUnder(owner, idempotencyKey) {
      const row = connection.get<EntryRow & { id: number }>(
        // The version that the first edit archived, if there was one. Joining a group before that edit archives
        // nothing.
        `SELECT entry.id AS id, coalesce(archived_entry.version, entry.version) AS version,
           CAST(coalesce(archived_entry.document, entry.document) AS BLOB) AS document,
           iif(archived_entry.document IS NULL, entry.crc, archived_entry.crc) AS crc
         FROM entry LEFT JOIN archived_entry ON archived_entry.entry_id = entry.id
         WHERE owner = ? AND idempotency_key = ? ORDER BY archived_entry.version LIMIT 1`,
        owner,
        idempotencyKey,
      );
      return row && toStored(connection, row.id, row);
    },
    async edit(next) {
      connection.run(
        `INSERT INTO archived_entry (entry_id, version, document, crc, salts)
         SELECT id, version, document, crc, salts FROM entry WHERE id = ?`,
        next.id,
      );
      return replaceEntry(connection, scope, next, 'edited');
    },
    async annotate(next, former) {
      return replaceEntry(connection, scope, next, 'annotated', former);
    },
    async listExtents(id) {
      return listExtents(findFormer(connection, id).salts ?? '');
    },
  };
}

function insertEntry(
  connection: Statements,
  scope: EntryScope,
  draft: NewEntryDocument,
  origin: EntryOrigin,
): StoredEntry {
  // The document contains the id, which must therefore be known first.
  const id = takeNextId(connection, scope);
  return insertAs(connection, scope, { ...draft, id, version: 1 }, origin);
}

function takeNextId(connection: Statements, { ids }: EntryScope): number {
  const id = Math.max(newestId(connection), ids.floor) + 1;
  ids.give(id);
  return id;
}

/** @throws Fault conflict `entry.id-taken` */
function insertGiven(
  connection: Statements,
  scope: EntryScope,
  draft: GivenEntryDocument,
  origin: EntryOrigin,
): StoredEntry {
  if (connection.get('SELECT 1 FROM entry WHERE id = ?', draft.id)) throw entryIdTaken(draft.id);
  scope.ids.give(draft.id);
  return insertAs(connection, scope, { ...draft, version: 1 }, origin);
}

function insertAs(connection: Statements, scope: ChangeScope, entry: Entry, { inReplyTo }: EntryOrigin): StoredEntry {
  const { id } = entry;
  const json = encodeEntry(entry);
  const { salts, digest } = digestEntry(entry, inReplyTo ?? null);
  const inOrder = isInOrder(connection, id, entry.createdDate);
  if (!inOrder) recordBackdated(connection, id, entry.createdDate);
  connection.run(
    `INSERT INTO entry
       (id, version, sequence, created_ms, in_order, owner, in_reply_to, document, crc, salts)
     VALUES (?, 1, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?)`,
    id,
    newestSequence(connection) + 1,
    entry.createdDate,
    inOrder ? 1 : 0,
    entry.owner,
    inReplyTo ?? null,
    json,
    checksumOf(json),
    salts,
  );
  appendRecord(connection, entryRecord('created', entry, digest));
  linkFiles(connection, scope, entry, 1);
  return new StoredEntry(id, 1, json, entry);
}

function replaceEntry(
  connection: Statements,
  scope: ChangeScope,
  replacement: Entry,
  kind: 'edited' | 'annotated',
  extended?: StoredEntry,
): StoredEntry {
  // The new number is higher than that of any archived version.
  const next = { ...replacement, version: versionNumber(connection, replacement.id, Number.MAX_SAFE_INTEGER) };
  const { json, texts } = encodeGrown(next, extended);
  const former = findFormer(connection, next.id);
  const { salts, digest } =
    kind === 'annotated'
      ? digestAnnotated(next, former.in_reply_to, former.salts, extended && { former: extended.entry, texts })
      : digestEntry(next, former.in_reply_to);
  if (json.byteLength >= longDocumentBytes) releasePages(connection, next.id);
  const row = connection.get<{ version: number }>(
    `UPDATE entry SET version = version + 1, sequence = ?, document = CAST(? AS TEXT), crc = ?, salts = ?
     WHERE id = ? RETURNING version`,
    newestSequence(connection) + 1,
    json,
    checksumOf(json),
    salts,
    next.id,
  );
  if (!row) throw new Error(`entry ${next.id} is not stored`);
  appendRecord(connection, entryRecord(kind, { id: next.id, version: row.version }, digest));
  linkFiles(connection, scope, next, row.version);
  return new StoredEntry(next.id, row.version, json, next);
}

/**
 * Frees the pages of a document that is about to be replaced in the same transaction. Otherwise, SQLite would use other
 * pages for the new one, and write both, because it overwrites freed pages.
 */
function releasePages(connection: Statements, id: number): void {
  connection.run("UPDATE entry SET document = '', salts = '' WHERE id = ?", id);
}

interface FormerRow {
  readonly salts: string | null;
  readonly in_reply_to: number | null;
}

/** Returns the data on which the digest of the next version of an entry depends. */
function findFormer(connection: Statements, id: number): FormerRow {
  const row = connection.get<FormerRow>('SELECT salts, in_reply_to FROM entry WHERE id = ?', id);
  return row ?? { salts: null, in_reply_to: null };
}

/** Returns the highest id ever stored in this database; 0 if there is none. */
export function newestId(connection: Pick<Statements, 'get'>): number {
  const row = connection.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'entry'");
  return row?.seq ?? 0;
}

/** Links the entry to its attachments, and queues those whose text is not extracted yet. */
function linkFiles(connection: Statements, { changed }: ChangeScope, entry: Entry, version: number): void {
  const { id: entryId, attachments } = entry;
  changed.entries.add(entryId);
  recordFiles(connection, entryId, version, entry);
  changed.files ||= attachments.length > 0;
  for (const { id, checksum, contentType } of attachments) {
    connection.run('INSERT OR IGNORE INTO attachment_entry (attachment_id, entry_id) VALUES (?, ?)', id, entryId);
    if (!mayHoldText(contentType)) continue;
    connection.run(
      `INSERT OR IGNORE INTO pending_text_extraction (checksum, entry_id, content_type)
       SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM file_text WHERE checksum = ?1)`,
      checksum,
      entryId,
      contentType,
    );
  }
}
