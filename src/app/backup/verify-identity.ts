import { join } from 'node:path';
import { type OnFinding, problem } from '../../backup/data-finding.js';
import type { FileReader } from '../../backup/file-access.port.js';
import { inspectLock, lockFile } from '../../engines/sqlite/data-dir-lock.js';
import { openDatabase } from '../../engines/sqlite/database/open-database.js';
import { entryIdsFile, inspectGivenIds } from '../../engines/sqlite/entry-ids.js';
import { documentsFile } from '../../engines/sqlite/inspect-documents.js';
import { newestId } from '../../engines/sqlite/tables/entries.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import { commandFor } from '../../kernel/command-hint.js';
import { onOneLine } from '../../kernel/text.js';

/** Maximum number of attempts to read a small file. A reader may see half of it while the service writes it. */
const readings = 3;

/** Verifies to which logbook a data directory and its files belong, and the highest id ever assigned. */
export async function verifyIdentity(
  storage: StorageOptions,
  storeId: string,
  files: FileReader,
  onFinding: OnFinding,
): Promise<void> {
  const { dataDir } = storage;
  const isEmbedded = storage.kind === 'embedded';
  // The database must be read first: the service records ids in the other files before the database has them.
  const database = isEmbedded ? await readDatabase(dataDir) : undefined;
  const lock = await inspectLock(dataDir);
  // Again, because a service that starts in between changes both marks: one of the readings then matches.
  const marks = database && [database.mark, (await readDatabase(dataDir)).mark];
  const isOwnFolder = isEmbedded && storage.blobs.kind === 'files';
  const adopt = `Stop the service, and run “${commandFor('adopt', dataDir)}”, which checks that all files are there.`;
  const adviceFor = (name: string) => (isOwnFolder ? adopt : `Write the line ${storeId} into ${name}.`);
  const owner = await files.findOwner();
  const isRecorded = owner !== undefined || (lock.kind === 'readable' && lock.records.identity?.isComplete === true);
  if (owner !== storeId && isRecorded) {
    const what = owner === undefined ? 'it is missing or empty' : `it names the logbook ${owner} instead of ${storeId}`;
    const advice = `The service does not start with it. If these are the files of this logbook: ${adviceFor(files.ownerRecordPath)}`;
    onFinding(problem(files.ownerRecordPath, what, advice));
  }
  verifyLock(storage, { lock, storeId, isRecorded, marks }, onFinding);
  if (database) verifyIds(dataDir, database.newestId, onFinding);
}

async function readDatabase(dataDir: string): Promise<{ readonly newestId: number; readonly mark: number }> {
  const connection = await openDatabase(join(dataDir, documentsFile), 'reader');
  try {
    const mark = connection.get<{ application_id: number }>('PRAGMA application_id')?.application_id ?? 0;
    return { newestId: newestId(connection), mark };
  } finally {
    connection.close();
  }
}

interface Lock {
  readonly lock: Awaited<ReturnType<typeof inspectLock>>;
  readonly storeId: string;
  /** Whether the id of a logbook was recorded with the files, according to the files or to the lock. */
  readonly isRecorded: boolean;
  /** Marks of the database in two readings; undefined for a database on a server. */
  readonly marks: readonly number[] | undefined;
}

function verifyLock(
  { kind, dataDir }: StorageOptions,
  { lock, storeId, isRecorded, marks }: Lock,
  onFinding: OnFinding,
) {
  const file = join(dataDir, lockFile);
  const next =
    kind === 'embedded'
      ? `run “${commandFor('adopt', dataDir)}”`
      : 'start the service, which creates it; the other files of this directory are rebuilt from the database';
  const putBack = `The service does not start with it. Stop it if it runs, move ${lockFile} away, and ${next}.`;
  if (lock.kind === 'damaged') onFinding(problem(file, `the file is damaged (${onOneLine(lock.reason)})`, putBack));
  if (lock.kind === 'missing' && isRecorded && kind === 'embedded') {
    onFinding(problem(file, 'it is missing', `Make sure that no process uses ${dataDir}, and ${next}.`));
  }
  if (lock.kind !== 'readable') return;
  const { identity, marks: recorded } = lock.records;
  if (identity !== undefined && identity.storeId !== storeId) {
    onFinding(problem(file, `it names the logbook ${identity.storeId} instead of ${storeId}`, putBack));
  }
  if (!marks || recorded.length === 0 || marks.some((mark) => recorded.includes(mark))) return;
  const advice = `If a copy of ${documentsFile} was restored, the next start says what that means and records it. Otherwise: ${putBack}`;
  onFinding(problem(file, `its mark does not match the ${documentsFile} in this directory`, advice));
}

function verifyIds(dataDir: string, newestInDatabase: number, onFinding: OnFinding): void {
  const file = join(dataDir, entryIdsFile);
  const advice =
    'The next new entry rewrites the file, with an id above all ids in the database. If an older copy of the database was restored, restore the newest copy instead: ids that only the newest copy has could be assigned twice.';
  const found = readIds(dataDir);
  if (found === 'unreadable') {
    onFinding(problem(file, 'the file is damaged, and does not say which entry ids were assigned', advice));
  } else if (found && Math.max(found.reserved, found.given) < newestInDatabase) {
    const what = `it says that no entry id above ${found.reserved} was assigned, but ${documentsFile} contains ${newestInDatabase}`;
    onFinding(problem(file, what, advice));
  }
}

function readIds(dataDir: string): ReturnType<typeof inspectGivenIds> {
  let found = inspectGivenIds(dataDir);
  for (let again = 1; found === 'unreadable' && again < readings; again += 1) found = inspectGivenIds(dataDir);
  return found;
}
