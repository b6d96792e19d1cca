import { join } from 'node:path';
import type { Connection } from './database/connection.js';
import { readUnchanged } from './database/read-unchanged.js';
import { documentsFile } from './inspect-documents.js';

const batchSize = 500;
const maxExamples = 3;

/** Result of comparing the attachments in a database with the files of its data directory. */
export interface AttachmentFiles {
  /** Number of attachments, including those shown only by earlier versions of entries. */
  readonly attachments: number;
  /** Number of attachments without a file. */
  readonly missing: number;
  readonly examples: readonly MissingFile[];
  /** Number of files without an attachment. */
  readonly unreferenced: number;
}

export interface MissingFile {
  readonly checksum: string;
  readonly filename: string;
  /** Id of an entry that shows the attachment; undefined: none is recorded. */
  readonly entryId: number | undefined;
}

interface FileRow {
  readonly checksum: string;
  readonly id: string;
  readonly filename: string;
  readonly attachments: number;
}

/**
 * Compares the attachments in the database with the files that are present. Changes nothing.
 * @param present checksums of the files
 */
export function compareFiles(dataDir: string, present: ReadonlySet<string>): Promise<AttachmentFiles> {
  return readUnchanged(join(dataDir, documentsFile), (connection) => {
    let [attachments, missing, referenced] = [0, 0, 0];
    const examples: MissingFile[] = [];
    for (const row of listFiles(connection)) {
      attachments += row.attachments;
      if (present.has(row.checksum)) {
        referenced += 1;
        continue;
      }
      missing += row.attachments;
      if (examples.length < maxExamples) examples.push(toExample(connection, row));
    }
    return { attachments, missing, examples, unreferenced: present.size - referenced };
  });
}

function* listFiles(connection: Connection): Generator<FileRow> {
  let after = '';
  for (;;) {
    const rows = connection.all<FileRow & Record<string, unknown>>(
      `SELECT checksum, min(id) AS id, count(*) AS attachments,
         min(iif(json_valid(document), document ->> '$.filename', '')) AS filename
       FROM attachment WHERE checksum > ? GROUP BY checksum ORDER BY checksum LIMIT ?`,
      after,
      batchSize,
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.checksum;
  }
}

function toExample(connection: Connection, { checksum, filename, id }: FileRow): MissingFile {
  // Earlier versions of the program did not record the entries of attachments.
  const isRecorded = connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'attachment_entry'");
  const row = isRecorded
    ? connection.get<{ entry_id: number }>('SELECT entry_id FROM attachment_entry WHERE attachment_id = ?', id)
    : undefined;
  return { checksum, filename, entryId: row?.entry_id };
}
