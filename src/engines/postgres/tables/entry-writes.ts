import { damagedEntry } from '../../../entries/damaged-entry.js';
import type { Entry } from '../../../entries/entry.js';
import type { CommittedEntryWrite, EntryWriteReader } from '../../../entries/entry-writes.port.js';
import { listTextFiles, type SearchableEntry, toSearchable } from '../../../entries/searchable-entry.js';
import type { Statements } from '../../sql/statements.port.js';
import { type DocumentRow, parseIntact } from '../../stored-document.js';
import { readText, type TextRow } from '../../stored-rows.js';
import { horizon, newestIncarnation } from '../database/incarnation.js';

/**
 * Position: the incarnation that assigned it, the number of the transaction, and the entry. Several changes of an entry
 * in one transaction are one write.
 */
interface Position {
  readonly incarnation: string;
  readonly write: number;
  readonly entryId: number;
}

const encodePosition = ({ incarnation, write, entryId }: Position): string => `${incarnation}.${write}.${entryId}`;

function decodePosition(position: string | undefined): Position {
  if (position === undefined) return { incarnation: '', write: 0, entryId: 0 };
  const [, incarnation = '', write, entryId] = /^([\w-]*)[.](\d+)[.](\d+)$/.exec(position) ?? [];
  if (entryId === undefined) throw new Error('not a position in the sequence of entry writes');
  return { incarnation, write: Number(write), entryId: Number(entryId) };
}

interface WriteRow {
  readonly id: number;
  readonly version: number;
  readonly write_xid: number;
  readonly incarnation: string;
}

const positionOf = (row: WriteRow): string =>
  encodePosition({ incarnation: row.incarnation, write: row.write_xid, entryId: row.id });

const isFinal = `write_xid < ${horizon} + ${newestIncarnation('xid_offset')}`;
const after = `(write_xid, id) > ($1, $2) AND ${isFinal}`;

export function entryWriteReader(connection: Statements): EntryWriteReader {
  const list = (position: string | undefined, order: 'ASC' | 'DESC', limit: number) => {
    const { write, entryId } = decodePosition(position);
    const sql = `SELECT id, version, write_xid, ${newestIncarnation('id')} AS incarnation
      FROM entry WHERE ${after} ORDER BY write_xid ${order}, id ${order} LIMIT $3`;
    return connection.all<WriteRow>(sql, write, entryId, limit);
  };
  return {
    async newestPosition() {
      const [newest] = await list(undefined, 'DESC', 1);
      return newest ? positionOf(newest) : encodePosition({ incarnation: '', write: 0, entryId: 0 });
    },
    async listAfter(position, limit) {
      const rows = await list(position, 'ASC', limit);
      return rows.map((row) => ({
        id: row.id,
        revision: row.version,
        position: positionOf(row),
        order: row.write_xid,
      }));
    },
    listCommittedAfter: (position, limit) => listCommitted(connection, position, limit),
    async countAfter(position) {
      const { write, entryId } = decodePosition(position);
      const sql = `SELECT count(*) AS writes FROM entry WHERE ${after}`;
      return (await connection.get<{ writes: number }>(sql, write, entryId))?.writes ?? 0;
    },
    async contains(position) {
      const { incarnation: id, write, entryId } = decodePosition(position);
      if (write === 0) return true;
      const row = await connection.get(
        `SELECT 1 FROM incarnation AS known WHERE id = $1
         AND $2::bigint < coalesce((SELECT min(first_write) FROM incarnation WHERE number > known.number), $2::bigint + 1)
         AND EXISTS (SELECT 1 FROM entry WHERE entry.id = $3 AND write_xid >= $2)`,
        id,
        write,
        entryId,
      );
      return row !== undefined;
    },
    async findSearchable(id) {
      const row = await connection.get<SearchableRow>('SELECT document, crc, in_reply_to FROM entry WHERE id = $1', id);
      return row && readSearchable(connection, id, row);
    },
    async listSearchableFrom(id, version) {
      const rows = await connection.all<SearchableRow>(
        `SELECT archived.document, archived.crc, in_reply_to FROM archived_entry AS archived JOIN entry ON id = entry_id
         WHERE entry_id = $1 AND archived.version >= $2 ORDER BY archived.version`,
        id,
        version,
      );
      return Promise.all(rows.map((row) => readSearchable(connection, id, row)));
    },
  };
}

async function listCommitted(
  connection: Statements,
  position: string | undefined,
  limit: number,
): Promise<CommittedEntryWrite[]> {
  const { write, entryId } = decodePosition(position);
  const rows = await connection.all<WriteRow & { readonly is_final: boolean }>(
    `SELECT id, version, write_xid, ${newestIncarnation('id')} AS incarnation, ${isFinal} AS is_final
     FROM entry WHERE (write_xid, id) > ($1, $2) ORDER BY write_xid, id LIMIT $3`,
    write,
    entryId,
    limit,
  );
  return rows.map((row) => ({
    id: row.id,
    revision: row.version,
    position: positionOf(row),
    order: row.write_xid,
    isFinal: row.is_final,
  }));
}

interface SearchableRow extends DocumentRow {
  readonly in_reply_to: number | null;
}

async function readSearchable(connection: Statements, id: number, row: SearchableRow): Promise<SearchableEntry> {
  // A damaged document must not keep all later entries out of the index.
  const entry = parseIntact<Entry>(connection, `entry ${id}`, row) ?? damagedEntry(id);
  const checksums = listTextFiles(entry);
  const texts = new Map<string, string>();
  if (checksums.length > 0) {
    const sql = 'SELECT checksum, text, failure, crc FROM file_text WHERE checksum = ANY($1)';
    for (const stored of await connection.all<TextRow>(sql, checksums)) {
      const text = readText(connection, stored, () => [id]);
      if (text !== undefined) texts.set(stored.checksum, text);
    }
  }
  return toSearchable(entry, row.in_reply_to !== null, (checksum) => texts.get(checksum));
}
