import type { Attachment } from '../../../attachments/attachment.js';
import type { AttachmentReader } from '../../../attachments/attachment-store.port.js';
import type { Entry } from '../../../entries/entry.js';
import { nextSharedTurn } from '../../../kernel/fair-turns.js';
import type { Statements } from '../database/connection.js';

/**
 * Files that versions of an entry show or showed, with the logbooks of those versions. The table serves lookups by file
 * name or attachment id without reading the versions, of which there may be any number.
 */

const pageSize = 200;

type Version = Pick<Entry, 'logbooks'> & {
  readonly attachments: readonly Pick<Attachment, 'id' | 'filename'>[];
};

/** Key in the table `store` for the position up to which the files of earlier entries are recorded. */
export const positionKey = 'entry-files';

/** Position up to which files are recorded: this version of this entry, and all entries with lower ids. */
export interface FilledUpTo {
  readonly entryId: number;
  readonly version: number;
}

/** Returns the position; undefined once the files of all entries are recorded. */
export function readPosition(connection: Statements): FilledUpTo | undefined {
  const row = connection.get<{ value: string }>('SELECT value FROM store WHERE key = ?', positionKey);
  return row && (JSON.parse(row.value) as FilledUpTo);
}

function isFilled(connection: Statements, entryId: number): boolean {
  const position = readPosition(connection);
  return position === undefined || entryId < position.entryId;
}

export function recordFiles(connection: Statements, entryId: number, version: number, shown: Version): void {
  if (shown.attachments.length === 0) return;
  connection.run(
    `INSERT INTO entry_file (entry_id, filename, attachment_id, logbook_set, version, place)
     SELECT ?1, value ->> 1, value ->> 0, ?2, ?3, key FROM json_each(?4) WHERE true
     ON CONFLICT (entry_id, attachment_id, logbook_set) DO UPDATE SET version = excluded.version, place = excluded.place
       WHERE version < excluded.version`,
    entryId,
    logbookSetOf(connection, shown),
    version,
    JSON.stringify(shown.attachments.map(({ id, filename }) => [id, filename])),
  );
}

/** Returns the number of a set of logbooks, which is stored once for all versions with that set. */
function logbookSetOf(connection: Statements, { logbooks }: Pick<Version, 'logbooks'>): number {
  const names = JSON.stringify([...new Set(logbooks.map(({ name }) => name))].sort());
  connection.run('INSERT INTO logbook_set (names) VALUES (?) ON CONFLICT DO NOTHING', names);
  const row = connection.get<{ id: number }>('SELECT id FROM logbook_set WHERE names = ?', names);
  if (!row) throw new Error('a set of logbooks was not stored');
  return row.id;
}

export function entryFileReader(connection: Statements): Pick<AttachmentReader, 'listShown' | 'listShowing'> {
  return {
    listShown: (entryId, filename) =>
      isFilled(connection, entryId)
        ? listRecorded(connection, entryId, filename)
        : listFromVersions(connection, entryId, 'filename', filename),
    async *listShowing(attachmentId) {
      let entryId = -1;
      for (;;) {
        const entries = connection.all<{ entry_id: number }>(
          'SELECT entry_id FROM attachment_entry WHERE attachment_id = ? AND entry_id > ? ORDER BY entry_id LIMIT ?',
          attachmentId,
          entryId,
          pageSize,
        );
        for (const { entry_id } of entries) {
          entryId = entry_id;
          for await (const { logbooks } of listOfAttachment(connection, entryId, attachmentId))
            yield { entryId, logbooks };
        }
        if (entries.length < pageSize) return;
        await nextSharedTurn();
      }
    },
  };
}

interface ShownRow {
  attachment_id: string;
  logbooks: string;
}

const toShown = ({ attachment_id, logbooks }: ShownRow) => ({
  attachmentId: attachment_id,
  logbooks: (JSON.parse(logbooks) as string[]).map((name) => ({ name })),
});

type Shown = ReturnType<typeof toShown>;

async function* listRecorded(connection: Statements, entryId: number, filename: string): AsyncGenerator<Shown> {
  let [version, place] = [Number.MAX_SAFE_INTEGER, 0];
  for (;;) {
    const rows = connection.all<ShownRow & { version: number; place: number }>(
      `SELECT attachment_id, names AS logbooks, version, place FROM entry_file JOIN logbook_set ON id = logbook_set
       WHERE entry_id = ?1 AND filename = ?2 AND version <= ?3 AND (version < ?3 OR place > ?4)
       ORDER BY version DESC, place LIMIT ?5`,
      entryId,
      filename,
      version,
      place,
      pageSize,
    );
    yield* rows.map(toShown);
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    ({ version, place } = last);
    await nextSharedTurn();
  }
}

async function* listOfAttachment(connection: Statements, entryId: number, attachmentId: string): AsyncGenerator<Shown> {
  if (!isFilled(connection, entryId)) {
    yield* listFromVersions(connection, entryId, 'id', attachmentId);
    return;
  }
  const rows = connection.all<ShownRow>(
    `SELECT attachment_id, names AS logbooks FROM entry_file JOIN logbook_set ON id = logbook_set
     WHERE entry_id = ? AND attachment_id = ? ORDER BY version DESC`,
    entryId,
    attachmentId,
  );
  yield* rows.map(toShown);
}

/** Reads the versions of an entry whose files are not recorded yet, one at a time with other work in between. */
async function* listFromVersions(
  connection: Statements,
  entryId: number,
  field: 'id' | 'filename',
  value: string,
): AsyncGenerator<Shown> {
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const next = connection.get<{ version: number | null }>(
      `SELECT max(version) AS version FROM (
         SELECT version FROM entry WHERE id = ?1
         UNION ALL SELECT max(version) FROM archived_entry WHERE entry_id = ?1 AND version < ?2
       ) WHERE version < ?2`,
      entryId,
      below,
    );
    if (typeof next?.version !== 'number') return;
    below = next.version;
    yield* connection
      .all<ShownRow>(
        `SELECT file.value ->> '$.id' AS attachment_id,
           (SELECT json_group_array(value ->> '$.name') FROM json_each(document, '$.logbooks')) AS logbooks
         FROM (
           SELECT iif(json_valid(document), document, '{}') AS document FROM (
             SELECT document FROM entry WHERE id = ?1 AND version = ?2
             UNION ALL SELECT document FROM archived_entry WHERE entry_id = ?1 AND version = ?2
           )
         ), json_each(document, '$.attachments') AS file
         WHERE file.value ->> ?3 = ?4 ORDER BY file.key`,
        entryId,
        below,
        `$.${field}`,
        value,
      )
      .map(toShown);
    await nextSharedTurn();
  }
}
