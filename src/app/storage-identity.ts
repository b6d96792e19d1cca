import { basename, join } from 'node:path';
import { holdsBlobs, readBlobStoreId } from '../engines/files/blob-store-identity.js';
import { type DataDirLock, type DirectoryRecords, lockFile } from '../engines/sqlite/data-dir-lock.js';
import type { MigrationCopy } from '../engines/sqlite/database/migration-copy.js';
import { isLogOf } from '../engines/sqlite/database-mark.js';
import { type DocumentsState, documentsFile, inspectDocuments } from '../engines/sqlite/inspect-documents.js';
import { type IndexOwner, listIndexOwners } from '../engines/sqlite/inspect-index.js';
import type { BlobOptions } from '../engines/storage-options.js';
import { commandFor } from '../kernel/command-hint.js';
import type { Log } from '../kernel/log.js';

/**
 * Records by which a start notices other data, an older copy, or another process. None of them can replace another:
 *
 * | Record | Where | Written | Notices |
 * |---|---|---|---|
 * | lock | `lock.sqlite` | by the operating system | another process that uses the directory |
 * | store id | database, `lock.sqlite`, `attachments/store-id` or bucket, search indexes | once | a part of another logbook |
 * | mark | header of the database file, `lock.sqlite` | at each start | an older copy of this database |
 * | log number | header of the write-ahead log, `lock.sqlite` | at each start, and by SQLite | a log of another run |
 * | entry ids | `entry-ids` | before each commit of new entries | ids that were given after a copy was made |
 *
 * `checkDataDir` refuses what would lose or mix data. An older copy may be a restored one: the start warns, and new
 * entries get ids above all earlier ones. `RecordedRun` writes the records. The nodes of a cluster have only the first
 * two, see `open-shared-storage.ts`: the database orders what they write.
 */

export const attachmentsFolder = 'attachments';

/** Content of a data directory, and the store to which each part claims to belong. */
export interface DataDirContents {
  readonly dataDir: string;
  readonly documents: DocumentsState;
  /** Records that are stored with the lock. */
  readonly records: DirectoryRecords;
  readonly attachmentsKind: BlobOptions['kind'];
  /**
   * Id recorded in the folder of the attachments; undefined: none is recorded. A bucket is only checked when it is
   * opened, so its id is assumed to be that of the directory.
   */
  readonly attachmentsId: string | undefined;
  readonly hasAttachmentFiles: boolean;
  /** Search indexes that name the store to which they belong. */
  readonly indexes: readonly IndexOwner[];
}

export async function readDataDir(
  dataDir: string,
  { records }: Pick<DataDirLock, 'records'>,
  attachmentsKind: BlobOptions['kind'],
): Promise<DataDirContents> {
  const attachmentsDir = join(dataDir, attachmentsFolder);
  const isFolder = attachmentsKind === 'files';
  const documents = await inspectDocuments(dataDir);
  return {
    dataDir,
    documents,
    records,
    attachmentsKind,
    attachmentsId: isFolder ? await readBlobStoreId(attachmentsDir) : records.identity?.storeId,
    hasAttachmentFiles: isFolder
      ? await holdsBlobs(attachmentsDir)
      : documents.kind === 'present' && documents.attachments > 0,
    indexes: await listIndexOwners(dataDir),
  };
}

/**
 * Returns whether the write-ahead log is missing although the last run must have left one: that run used this database
 * file and did not close it.
 */
export function isLogMissing({ documents, records: { openMark } }: DataDirContents): boolean {
  // The service never empties the log while it runs. A process that only reads leaves an empty one.
  return documents.kind === 'present' && !documents.hasLog && openMark !== undefined && documents.mark === openMark;
}

/** Whether an older copy has replaced the database that the last run used. */
export function isOlderCopy({ documents, records: { marks } }: DataDirContents): boolean {
  return documents.kind === 'present' && marks.length > 0 && !marks.includes(documents.mark ?? 0);
}

/** Logs a warning about writes that may be missing although the directory can be used. */
export function warnOfLoss(contents: DataDirContents, log: Log): void {
  if (isLogMissing(contents)) log.warn(missingLog, 'write-ahead log of the last run is missing');
  if (isOlderCopy(contents)) log.warn(olderCopy, 'database is not the one of the last run');
}

const olderCopy = {
  file: documentsFile,
  loss: 'entries, edits and other writes since the copy was made are missing',
  advice: `if the copy was not restored on purpose, stop the service and restore the newest ${documentsFile}`,
};

const missingLog = {
  file: `${documentsFile}-wal`,
  loss: 'the latest entries, edits and other writes before the last run ended may be missing',
  advice: `check whether the newest entries and edits are there; if not, restore a backup. Nothing is missing if the database was restored from an online backup (.backup or VACUUM INTO), or if another program, such as sqlite3, has opened it since the last run, which moves the log into it. Do not put the file back now: the service writes to the database again`,
};

/** The parts of a data directory do not belong together. The message states what was found, and what to do. */
class IdentityMismatch extends Error {}

/** Parts of a data directory that may belong to another logbook, or to another copy of the database. */
type ForeignPart = 'log' | 'files' | 'index';

/**
 * Checks that the database can be used, and that the parts of a data directory belong to one store, without lost or
 * replaced parts. A directory of an old program that recorded nothing is accepted unless parts are missing.
 * @param accepted parts that may be foreign, because the caller replaces them or the operator has confirmed them
 * @throws IdentityMismatch
 */
export function checkDataDir(contents: DataDirContents, accepted: readonly ForeignPart[] = []): void {
  const find = { log: findForeignLog, files: findForeignFiles, index: findForeignIndex };
  let problem = findUnusable(contents);
  for (const part of ['log', 'files', 'index'] as const) {
    if (!accepted.includes(part)) problem ??= find[part](contents);
  }
  if (problem === undefined) return;
  throw new IdentityMismatch(
    `${problem.found} Nothing was changed. ${problem.advice} See “Refusals to start” in docs/operator/data-directory.md.`,
  );
}

interface Problem {
  readonly found: string;
  readonly advice: string;
}

function findUnusable({ documents, dataDir }: DataDirContents): Problem | undefined {
  if (documents.kind === 'damaged') {
    return {
      found: `${documentsFile} in ${dataDir} is not a readable database (${documents.reason}).`,
      advice: `Move ${documentsFile}-wal and ${documentsFile}-shm away if they are there, and restore the newest copy of ${documentsFile}.`,
    };
  }
  if (documents.kind === 'newer') {
    const { schema, newestSchema, copies } = documents;
    return {
      found: `${documentsFile} in ${dataDir} was written by a newer version of this program (schema ${schema}; this version supports schemas up to ${newestSchema}).`,
      advice: `Use that newer version. ${adviseWayBack(copies[0])}`,
    };
  }
  if (documents.kind === 'journal') {
    return {
      found: `${documentsFile}-journal in ${dataDir} shows that another program has changed ${documentsFile}, and did not finish or left it in another mode.`,
      advice: `Leave both files where they are, and open the database once with that program, for example: sqlite3 ${documentsFile} 'PRAGMA journal_mode = WAL'. That finishes or undoes the change.`,
    };
  }
  return undefined;
}

/** Returns advice for continuing with an earlier version of the program. */
function adviseWayBack(copy: MigrationCopy | undefined): string {
  const restore = 'restore a backup that an earlier version made into another directory with “logbook restore”';
  if (!copy) return `Or ${restore}, or restore a copy of ${documentsFile} that an earlier version wrote.`;
  const made = new Date(copy.madeMs).toISOString();
  return `Or restore the copy that was kept before the migration, ${copy.file} (schema ${copy.schema}, ${made}): move ${documentsFile}, ${documentsFile}-wal and ${documentsFile}-shm to another directory, and copy that file to ${documentsFile}; what was written since is then missing. Or ${restore}.`;
}

/** Finds a write-ahead log that does not belong to the database file: applying it would mix two states of the data. */
function findForeignLog({ documents, records: { marks, runs }, dataDir }: DataDirContents): Problem | undefined {
  if (documents.kind !== 'present' || !documents.hasLog || marks.length === 0) return undefined;
  const { mark, logNumber } = documents;
  if (mark !== undefined && marks.includes(mark)) return undefined;
  // Both the database and the log were restored from the same earlier run.
  if (logNumber !== undefined && runs.some((run) => run.mark === mark && isLogOf(run, logNumber))) return undefined;
  return {
    found: `Nothing shows that ${documentsFile}-wal in ${dataDir} belongs to ${documentsFile}, which was restored from a copy. If it does not, the writes of both would be mixed.`,
    advice: `If both were copied together, keep both, and run “${commandFor('adopt --keep-log', dataDir)}”. If only ${documentsFile} was restored: to lose nothing, put the original one next to the log; to continue with the copy, move ${documentsFile}-wal and ${documentsFile}-shm to another directory.`,
  };
}

/** Finds parts that were lost or replaced. */
function findForeignFiles(contents: DataDirContents): Problem | undefined {
  const { documents } = contents;
  return documents.kind === 'present'
    ? findMismatch(contents, documents)
    : findOrphans(contents, documents.kind === 'missing' ? 'is missing' : 'is empty');
}

/** Finds parts of a logbook in a directory whose database contains none. */
function findOrphans(contents: DataDirContents, state: string): Problem | undefined {
  const { documents, records, attachmentsId, hasAttachmentFiles, indexes, dataDir } = contents;
  const hasLog = 'hasLog' in documents && documents.hasLog;
  const storeId = records.identity?.storeId ?? attachmentsId ?? indexes[0]?.storeId;
  if (storeId === undefined && !hasAttachmentFiles && !hasLog) return undefined;
  const owner = storeId === undefined ? 'a logbook' : `the logbook ${storeId}`;
  const files = hasAttachmentFiles ? ', and its attachments are there' : '';
  const log = `${documentsFile}-wal is still there: leave it if you restore the original ${documentsFile}, and move it and ${documentsFile}-shm away before you restore a copy or begin an empty logbook. `;
  return {
    found: `${documentsFile} in ${dataDir} ${state}, but the directory belongs to ${owner}${files}.`,
    advice: `${hasLog ? log : ''}Restore the newest copy of ${documentsFile}. For a new logbook, choose another data directory, or begin an empty one in this directory with “${commandFor('adopt --new-logbook', dataDir)}”.`,
  };
}

function findMismatch(
  { records: { identity: directory }, attachmentsId, hasAttachmentFiles, dataDir }: DataDirContents,
  { storeId, attachments }: DocumentsState & { kind: 'present' },
): Problem | undefined {
  const adopt = `“${commandFor('adopt', dataDir)}”`;
  if (directory && directory.storeId !== storeId) {
    return {
      found: `${documentsFile} in ${dataDir} belongs to the logbook ${storeId}, but the directory belongs to the logbook ${directory.storeId}.`,
      advice: `Restore the database of this directory. If this one is the right one, put the attachments of its logbook next to it, and run ${adopt}, which checks that their files are there.`,
    };
  }
  if (attachmentsId !== undefined && attachmentsId !== storeId) {
    return {
      found: `${attachmentsFolder} in ${dataDir} belongs to the logbook ${attachmentsId}, but ${documentsFile} belongs to the logbook ${storeId}.`,
      advice: `Restore the folder of this logbook. If this folder does contain its files, run ${adopt}, which checks that.`,
    };
  }
  if (attachmentsId === undefined && (directory?.isComplete || (attachments > 0 && !hasAttachmentFiles))) {
    const recorded = hasAttachmentFiles || attachments === 0;
    return {
      found: `${attachmentsFolder} in ${dataDir} is missing, or is not the folder of the logbook ${storeId}.`,
      advice: recorded
        ? `Check that its disk is mounted, or restore the newest copy. If the folder has its files and lacks only the file store-id, or if the logbook has no attachments, run ${adopt}, which checks that.`
        : `Check that its disk is mounted, or restore the newest copy of the folder. Only if its files are lost, run “${commandFor('adopt --accept-missing-files', dataDir)}”.`,
    };
  }
  if (attachmentsId !== undefined && !directory) {
    return {
      found: `${lockFile} in ${dataDir} is missing or does not say to which logbook the directory belongs, so another process may be using it.`,
      advice: `Make sure that no other process does; then run ${adopt}, which puts the file in place.`,
    };
  }
  if (!directory && attachments === 0 && hasAttachmentFiles) {
    return {
      found: `${documentsFile} in ${dataDir} has no attachments, but ${attachmentsFolder} contains files.`,
      advice: `Restore the database of this directory. If this one is the right one, run ${adopt}; the files that no entry refers to are then removed after a month in quarantine.`,
    };
  }
  return undefined;
}

/**
 * Finds an index that was built from other entries. Must be called before anything is opened for writing or migrated.
 */
function findForeignIndex({ documents, indexes, dataDir }: DataDirContents): Problem | undefined {
  const foreign = documents.kind === 'present' && indexes.find(({ storeId }) => storeId !== documents.storeId);
  if (!foreign) return undefined;
  return {
    found: `The search index ${basename(foreign.file)} in ${dataDir} belongs to the logbook ${foreign.storeId}, but ${documentsFile} belongs to the logbook ${documents.storeId}.`,
    advice: `If ${documentsFile} is the right one, run “${commandFor('rebuild-index', dataDir)}”, which replaces the index.`,
  };
}
