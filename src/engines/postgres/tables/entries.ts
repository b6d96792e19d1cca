import { mayHoldText } from '../../../attachments/media-type.js';
import type { Entry, GivenEntryDocument, NewEntryDocument } from '../../../entries/entry.js';
import { encodeEntry, StoredEntry } from '../../../entries/entry-json.js';
import type { EntryOrigin, EntryReader, EntryStore } from '../../../entries/entry-store.port.js';
import { encodeGrown } from '../../../entries/grown-entry.js';
import { digestAnnotated, digestEntry, listExtents } from '../../../ledger/entry-digest.js';
import { entryRecord } from '../../ledger-rows.js';
import type { Statements } from '../../sql/statements.port.js';
import type { ChangeScope, LedgerScope } from '../../sql/write-scope.port.js';
import { entryIdTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import { type Incarnation, ownTransaction } from '../database/incarnation.js';
import { recordFiles } from './entry-files.js';
import { insertEntries, type NewEntryRow } from './entry-inserts.js';

interface EntryRow extends DocumentRow {
  readonly version: number;
}

const columns = 'version, document, crc';

export function entryReader(connection: Statements): EntryReader {
  return {
    async find(id) {
      const row = await connection.get<EntryRow>(`SELECT ${columns} FROM entry WHERE id = $1`, id);
      return row && toStored(connection, id, row);
    },
    async findSize(id) {
      const sql = 'SELECT octet_length(document)::bigint AS bytes FROM entry WHERE id = $1';
      return (await connection.get<{ bytes: number }>(sql, id))?.bytes;
    },
    async findParent(id) {
      const sql = 'SELECT in_reply_to AS parent FROM entry WHERE id = $1';
      return (await connection.get<{ parent: number | null }>(sql, id))?.parent ?? undefined;
    },
    async findJson(id, version) {
      const row = await connection.get<EntryRow>(
        `SELECT ${columns} FROM (
           SELECT ${columns} FROM archived_entry WHERE entry_id = $1 AND version >= $2
           UNION ALL SELECT ${columns} FROM entry WHERE id = $1 AND version >= $2
         ) AS versions ORDER BY version LIMIT 1`,
        id,
        version,
      );
      return row && toStored(connection, id, row).json;
    },
    async findVersion(id, number) {
      if (number < 1) return undefined;
      const row = await connection.get<EntryRow>(
        `SELECT ${columns} FROM (
           SELECT ${columns} FROM archived_entry WHERE entry_id = $1
           UNION ALL SELECT ${columns} FROM entry WHERE id = $1
         ) AS versions ORDER BY version LIMIT 1 OFFSET $2`,
        id,
        number - 1,
      );
      return row && toStored(connection, id, row);
    },
    async *listArchived(id) {
      let below = 2_147_483_647;
      for (;;) {
        const row = await connection.get<EntryRow>(
          `SELECT ${columns} FROM archived_entry WHERE entry_id = $1 AND version < $2 ORDER BY version DESC LIMIT 1`,
          id,
          below,
        );
        if (!row) return;
        below = row.version;
        yield toStored(connection, id, row);
      }
    },
  };
}

function toStored(connection: Statements, id: number, row: EntryRow): StoredEntry {
  return new StoredEntry(id, row.version, Buffer.from(readDocument(connection, `entry ${id}`, row, () => [id])));
}

/** Part of a write that is needed to store an entry. */
export interface EntryScope extends ChangeScope, LedgerScope {
  readonly incarnation: Incarnation;
  /** Returns an id above all earlier ones of this node; the id of a failed write is never reused. */
  nextEntryId(): Promise<number>;
  /**
   * Ensures that all ids assigned later by any node are above this one. Returns true only if no entry can have this id.
   */
  passEntryId(id: number): Promise<boolean>;
  /** Stores a new entry, which later statements of the transaction see. If its id is taken, the transaction fails. */
  insertLater(entry: NewEntryRow): Promise<void>;
}

export function entryStore(connection: Statements, scope: EntryScope): EntryStore {
  return {
    ...entryReader(connection),
    async insert(draft, origin = {}) {
      return insertEntry(connection, scope, draft, origin);
    },
    reserveId: () => scope.nextEntryId(),
    async insertGiven(draft, origin = {}) {
      return insertGiven(connection, scope, draft, origin);
    },
    async findCreatedUnder(owner, idempotencyKey) {
      const row = await connection.get<EntryRow & { id: number }>(
        // The version that the first edit archived, if there was one. Joining a group before that edit archives
        // nothing.
        `SELECT entry.id, coalesce(archived.version, entry.version) AS version,
           coalesce(archived.document, entry.document) AS document, coalesce(archived.crc, entry.crc) AS crc
         FROM entry LEFT JOIN archived_entry AS archived ON archived.entry_id = entry.id
         WHERE owner = $1 AND idempotency_key = $2 ORDER BY archived.version LIMIT 1`,
        owner,
        idempotencyKey,
      );
      return row && toStored(connection, row.id, row);
    },
    async edit(next) {
      // Locks the entry, so that a concurrent edit on another node becomes a conflict here rather than a duplicate key
      // in the archive.
      await connection.run(
        `INSERT INTO archived_entry (entry_id, version, document, crc, salts)
         SELECT id, version, document, crc, salts FROM entry WHERE id = $1 FOR UPDATE`,
        next.id,
      );
      return replaceEntry(connection, scope, next, 'edited');
    },
    async annotate(next, former) {
      return replaceEntry(connection, scope, next, 'annotated', former);
    },
    async listExtents(id) {
      return listExtents((await findFormer(connection, id)).salts ?? '');
    },
  };
}

async function insertEntry(
  connection: Statements,
  scope: EntryScope,
  draft: NewEntryDocument,
  origin: EntryOrigin,
): Promise<StoredEntry> {
  // The document contains the id, which must therefore be known first.
  const created = encodeNew({ ...draft, id: await scope.nextEntryId(), version: 1 }, origin);
  await scope.insertLater(created.row);
  return recordNew(connection, scope, created);
}

/** @throws Fault conflict `entry.id-taken` */
async function insertGiven(
  connection: Statements,
  scope: EntryScope,
  draft: GivenEntryDocument,
  origin: EntryOrigin,
): Promise<StoredEntry> {
  const isFree = await scope.passEntryId(draft.id);
  const created = encodeNew({ ...draft, version: 1 }, origin);
  if (isFree) await scope.insertLater(created.row);
  else if ((await insertEntries(connection, scope.incarnation.offset, [created.row])) === 0)
    throw entryIdTaken(draft.id);
  return recordNew(connection, scope, created);
}

interface EncodedEntry {
  readonly entry: Entry;
  readonly row: NewEntryRow;
  readonly digest: string;
}

function encodeNew(entry: Entry, { inReplyTo }: EntryOrigin): EncodedEntry {
  const { salts, digest } = digestEntry(entry, inReplyTo ?? null);
  const { id, createdDate: createdMs, owner } = entry;
  return { entry, row: { id, createdMs, owner, inReplyTo, json: encodeEntry(entry), salts }, digest };
}

async function recordNew(
  connection: Statements,
  scope: EntryScope,
  { entry, row, digest }: EncodedEntry,
): Promise<StoredEntry> {
  scope.appendRecord(entryRecord('created', entry, digest));
  await linkFiles(connection, scope, entry, 1);
  return new StoredEntry(entry.id, 1, row.json, entry);
}

async function replaceEntry(
  connection: Statements,
  scope: EntryScope,
  replacement: Entry,
  kind: 'edited' | 'annotated',
  extended?: StoredEntry,
): Promise<StoredEntry> {
  const { id } = replacement;
  const former = await findFormer(connection, id);
  const next = { ...replacement, version: 1 + former.archived };
  const { json, texts } = encodeGrown(next, extended);
  const { salts, digest } =
    kind === 'annotated'
      ? digestAnnotated(next, former.in_reply_to, former.salts, extended && { former: extended.entry, texts })
      : digestEntry(next, former.in_reply_to);
  const row = await connection.get<{ version: number }>(
    `UPDATE entry SET version = version + 1, write_xid = ${ownTransaction} + $2::bigint, document = $3, crc = $4,
       salts = $5
     WHERE id = $1 RETURNING version`,
    id,
    scope.incarnation.offset,
    json,
    checksumOf(json),
    salts,
  );
  if (!row) throw new Error(`entry ${id} is not stored`);
  scope.appendRecord(entryRecord(kind, { id, version: row.version }, digest));
  await linkFiles(connection, scope, next, row.version);
  return new StoredEntry(id, row.version, json, next);
}

interface FormerRow {
  readonly salts: string | null;
  readonly in_reply_to: number | null;
  readonly archived: number;
}

/**
 * Returns the data on which the next version of an entry and its digest depend, and the number of archived versions.
 */
async function findFormer(connection: Statements, id: number): Promise<FormerRow> {
  const row = await connection.get<FormerRow>(
    `SELECT salts, in_reply_to, (SELECT count(*) FROM archived_entry WHERE entry_id = $1) AS archived
     FROM entry WHERE id = $1`,
    id,
  );
  return row ?? { salts: null, in_reply_to: null, archived: 0 };
}

/** Links the entry to its attachments, and queues those whose text is not extracted yet. */
async function linkFiles(
  connection: Statements,
  { changed }: ChangeScope,
  entry: Entry,
  version: number,
): Promise<void> {
  const { id: entryId, attachments } = entry;
  changed.entries.add(entryId);
  if (attachments.length === 0) return;
  changed.files = true;
  await recordFiles(connection, entryId, version, entry);
  await connection.run(
    `INSERT INTO attachment_entry (attachment_id, entry_id) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING`,
    attachments.map(({ id }) => id),
    entryId,
  );
  const texts = attachments.filter(({ contentType }) => mayHoldText(contentType));
  if (texts.length === 0) return;
  await connection.run(
    `INSERT INTO pending_text_extraction (checksum, entry_id, content_type)
     SELECT checksum, $3, content_type FROM unnest($1::text[], $2::text[]) AS file (checksum, content_type)
     WHERE NOT EXISTS (SELECT 1 FROM file_text WHERE file_text.checksum = file.checksum) ON CONFLICT DO NOTHING`,
    texts.map(({ checksum }) => checksum),
    texts.map(({ contentType }) => contentType),
    entryId,
  );
}
