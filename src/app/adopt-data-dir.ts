import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readStoredChecksums, writeBlobStoreId } from '../engines/files/blob-store-identity.js';
import type { DataDirLock } from '../engines/sqlite/data-dir-lock.js';
import { type AttachmentFiles, compareFiles, type MissingFile } from '../engines/sqlite/inspect-attachments.js';
import { documentsFile } from '../engines/sqlite/inspect-documents.js';
import { removeForeignIndexes } from '../engines/sqlite/inspect-index.js';
import { openSqliteStorage, removeSearchIndex } from '../engines/sqlite/sqlite-storage.js';
import type { StorageOptions } from '../engines/storage-options.js';
import { commandFor } from '../kernel/command-hint.js';
import { Integrity } from '../kernel/integrity.js';
import { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { counted, onOneLine } from '../kernel/text.js';
import { checkFileKinds } from './check-file-kinds.js';
import { CleanupStack } from './cleanup-stack.js';
import { lockStorage } from './open-storage.js';
import { attachmentsFolder, checkDataDir, type DataDirContents, readDataDir } from './storage-identity.js';

export interface AdoptedDataDir {
  readonly storeId: string;
  readonly highestEntryId: number;
  readonly attachments: number;
  /** Number of attachments without a file. */
  readonly missingFiles: number;
  /** Number of files that no attachment refers to. */
  readonly unreferencedFiles: number;
  /** Search indexes of other logbooks that were removed. */
  readonly removedIndexes: readonly string[];
}

export interface AdoptOptions {
  /** Whether to begin an empty logbook when there is none. */
  readonly newLogbook: boolean;
  readonly acceptMissingFiles: boolean;
  /** Whether to accept a write-ahead log that does not provably belong to the database. */
  readonly keepLog: boolean;
  readonly log: Log;
}

/**
 * Records that all parts of a data directory belong to the logbook of its database. Removes only the search index of
 * another logbook, which the next start replaces.
 * @throws Error when a process is using the data directory, when it contains no logbook, when it contains one although
 *   `newLogbook` is set, or when files of attachments are missing; in each case, nothing was changed
 */
export async function adoptDataDir(storageOptions: StorageOptions, options: AdoptOptions): Promise<AdoptedDataDir> {
  if (storageOptions.kind !== 'embedded') {
    throw new Error(
      'storage is “postgres”, where the data directory of a node has nothing to adopt: its content is rebuilt from the database. Nothing was changed.',
    );
  }
  const { dataDir, blobs } = storageOptions;
  if (blobs.kind !== 'files') {
    throw new Error(
      `blobs is “${blobs.kind}”, and adopt compares the files in a data directory. Nothing was changed. The object store-id of a bucket names the logbook to which it belongs, see docs/operator/object-storage.md.`,
    );
  }
  await checkFileKinds(dataDir);
  await checkPresent(dataDir, options);
  const cleanup = new CleanupStack();
  const adopted = await cleanup.guard(async () => {
    const lock = await lockStorage({ kind: 'embedded', dataDir }, cleanup);
    const contents = await readDataDir(dataDir, lock, 'files');
    checkDataDir(contents, ['files', 'index', ...(options.keepLog ? (['log'] as const) : [])]);
    return options.newLogbook ? beginLogbook(contents, lock, options.log) : adoptLogbook(contents, lock, options);
  });
  await cleanup.close();
  return adopted;
}

/**
 * Checks the directory before locking it, because the lock would create a file in a directory that was named by
 * mistake.
 */
async function checkPresent(dataDir: string, { newLogbook }: AdoptOptions): Promise<void> {
  const hint =
    'Check the name of the directory. A new logbook in a new directory needs no “adopt”: the start of the service creates both.';
  if (!(await exists(dataDir))) throw new Error(`${dataDir} does not exist. Nothing was changed. ${hint}`);
  if (newLogbook || (await exists(join(dataDir, documentsFile)))) return;
  const hasLog = await exists(join(dataDir, `${documentsFile}-wal`));
  throw noLogbook(
    dataDir,
    hasLog ? `is missing, but ${documentsFile}-wal, with the latest writes, is there` : 'is missing',
  );
}

async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found !== undefined;
}

function noLogbook(dataDir: string, state: string): Error {
  return new Error(
    `There is no logbook in ${dataDir}: ${documentsFile} ${state}. Nothing was changed. Check the name of the directory, or restore the newest copy of ${documentsFile}. To begin an empty logbook in this directory instead, run: ${commandFor('adopt --new-logbook', dataDir)}`,
  );
}

async function adoptLogbook(
  contents: DataDirContents,
  lock: DataDirLock,
  { acceptMissingFiles }: AdoptOptions,
): Promise<AdoptedDataDir> {
  const { dataDir, documents } = contents;
  if (documents.kind !== 'present') throw noLogbook(dataDir, documents.kind === 'missing' ? 'is missing' : 'is empty');
  const files = await compareFiles(dataDir, await readStoredChecksums(join(dataDir, attachmentsFolder)));
  if (files.missing > 0 && !acceptMissingFiles) throw filesMissing(dataDir, files);
  const { storeId, entries: highestEntryId } = documents;
  const removedIndexes = await removeForeignIndexes(dataDir, storeId);
  await recordParts(dataDir, storeId, lock);
  const { attachments, missing: missingFiles, unreferenced: unreferencedFiles } = files;
  return { storeId, highestEntryId, attachments, missingFiles, unreferencedFiles, removedIndexes };
}

function filesMissing(dataDir: string, { attachments, missing, examples }: AttachmentFiles): Error {
  const shown = examples.map(describeMissing).join('; ');
  return new Error(
    `${counted(missing, 'file')} of ${counted(attachments, 'attachment')} ${missing === 1 ? 'is' : 'are'} missing in ${join(dataDir, attachmentsFolder)}: ${shown}${missing > examples.length ? '; …' : ''}. Nothing was changed. Check that the disk of ${attachmentsFolder} is mounted, or restore the newest copy of the folder, and run the same command again. If the files are lost, accept that, and run: ${commandFor('adopt --accept-missing-files', dataDir)}`,
  );
}

function describeMissing({ checksum, filename, entryId }: MissingFile): string {
  const place = `${attachmentsFolder}/${checksum.slice(0, 2)}/${checksum}`;
  return `${place} (“${onOneLine(filename)}”${entryId === undefined ? '' : ` of entry ${entryId}`})`;
}

async function beginLogbook(
  { dataDir, documents }: DataDirContents,
  lock: DataDirLock,
  log: Log,
): Promise<AdoptedDataDir> {
  if (documents.kind === 'present') {
    throw new Error(
      `${dataDir} already contains the logbook ${documents.storeId}. Nothing was changed. To keep using it, run: ${commandFor('adopt', dataDir)}. For an empty logbook, choose another directory.`,
    );
  }
  if ('hasLog' in documents && documents.hasLog) {
    throw new Error(
      `${documentsFile}-wal in ${dataDir} holds writes of the database that is missing. Nothing was changed. Move ${documentsFile} back next to it, or move ${documentsFile}-wal and ${documentsFile}-shm to where that database is now; then run: ${commandFor('adopt --new-logbook', dataDir)}`,
    );
  }
  const removedIndexes = removeSearchIndex(dataDir);
  const storeId = await createLogbook(dataDir, log);
  await recordParts(dataDir, storeId, lock);
  const { size: unreferencedFiles } = await readStoredChecksums(join(dataDir, attachmentsFolder));
  return { storeId, highestEntryId: 0, attachments: 0, missingFiles: 0, unreferencedFiles, removedIndexes };
}

async function createLogbook(dataDir: string, log: Log): Promise<string> {
  const deps = { log, jobs: new JobRegistry({ log }), integrity: new Integrity(log) };
  const { storage } = await openSqliteStorage({ dataDir, ...deps });
  const { storeId } = await storage.status();
  await storage.close();
  return storeId;
}

async function recordParts(dataDir: string, storeId: string, lock: DataDirLock): Promise<void> {
  const attachmentsDir = join(dataDir, attachmentsFolder);
  await mkdir(attachmentsDir, { recursive: true, mode: 0o700 });
  await writeBlobStoreId(attachmentsDir, storeId);
  lock.record({ identity: { storeId, isComplete: true }, marks: [] });
}
