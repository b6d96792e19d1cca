import type { AttachmentReader } from '../../../attachments/attachment-store.port.js';
import type { Entry } from '../../../entries/entry.js';
import type { Statements } from '../../sql/statements.port.js';

const pageSize = 200;

/** Records the files that this version of an entry shows. */
export async function recordFiles(
  connection: Statements,
  entryId: number,
  version: number,
  { logbooks, attachments }: Pick<Entry, 'logbooks' | 'attachments'>,
): Promise<void> {
  const names = JSON.stringify([...new Set(logbooks.map(({ name }) => name))].sort());
  await connection.run(
    `INSERT INTO entry_file (entry_id, filename, attachment_id, logbook_set, version, place)
     SELECT DISTINCT ON (attachment_id) $1::bigint, filename, attachment_id, $2::bigint, $3::integer, place - 1
     FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS file (attachment_id, filename, place)
     ORDER BY attachment_id, place
     ON CONFLICT (entry_id, attachment_id, logbook_set) DO UPDATE SET version = excluded.version, place = excluded.place
       WHERE entry_file.version < excluded.version`,
    entryId,
    await logbookSetOf(connection, names),
    version,
    attachments.map(({ id }) => id),
    attachments.map(({ filename }) => filename),
  );
}

/** Returns the number of a set of logbooks, which is stored once for all versions with that set. */
async function logbookSetOf(connection: Statements, names: string): Promise<number> {
  const find = 'SELECT id FROM logbook_set WHERE names = $1';
  const known = await connection.get<{ id: number }>(find, names);
  if (known) return known.id;
  const insert = 'INSERT INTO logbook_set (names) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id';
  const row =
    (await connection.get<{ id: number }>(insert, names)) ?? (await connection.get<{ id: number }>(find, names));
  if (!row) throw new Error('a set of logbooks was not stored');
  return row.id;
}

interface FileRow {
  readonly attachment_id: string;
  readonly entry_id: number;
  readonly logbook_set: number;
  readonly logbooks: string;
  readonly version: number;
  readonly place: number;
}

const columns = 'attachment_id, entry_id, logbook_set, names AS logbooks, version, place';
const toLogbooks = ({ logbooks }: FileRow) => (JSON.parse(logbooks) as string[]).map((name) => ({ name }));

/** Returns a reader of the files that versions of an entry show or showed, with the logbooks of those versions. */
export function entryFileReader(connection: Statements): Pick<AttachmentReader, 'listShown' | 'listShowing'> {
  return {
    async *listShown(entryId, filename) {
      let [version, place] = [2_147_483_647, 0];
      for (;;) {
        const sql = `SELECT ${columns} FROM entry_file JOIN logbook_set ON id = logbook_set
           WHERE entry_id = $1 AND filename = $2 AND version <= $3 AND (version < $3 OR place > $4)
           ORDER BY version DESC, place LIMIT $5`;
        const rows = await connection.all<FileRow>(sql, entryId, filename, version, place, pageSize);
        for (const row of rows) yield { attachmentId: row.attachment_id, logbooks: toLogbooks(row) };
        const last = rows.at(-1);
        if (!last || rows.length < pageSize) return;
        ({ version, place } = last);
      }
    },
    async *listShowing(attachmentId) {
      let [entryId, version, set] = [-1, 0, 0];
      for (;;) {
        const sql = `SELECT ${columns} FROM entry_file JOIN logbook_set ON id = logbook_set
           WHERE attachment_id = $1 AND (entry_id, -version, logbook_set) > ($2, -($3::integer), $4)
             AND entry_id IN (SELECT entry_id FROM attachment_entry WHERE attachment_id = $1)
           ORDER BY entry_id, version DESC, logbook_set LIMIT $5`;
        const rows = await connection.all<FileRow>(sql, attachmentId, entryId, version, set, pageSize);
        for (const row of rows) yield { entryId: row.entry_id, logbooks: toLogbooks(row) };
        const last = rows.at(-1);
        if (!last || rows.length < pageSize) return;
        [entryId, version, set] = [last.entry_id, last.version, last.logbook_set];
      }
    },
  };
}
