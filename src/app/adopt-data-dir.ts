import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeBlobStoreId } from '../engines/files/blob-store-identity.js';
import { documentsFile, inspectDocuments } from '../engines/sqlite/inspect-documents.js';
import { removeForeignIndexes } from '../engines/sqlite/inspect-index.js';
import { openSqliteStorage, removeSearchIndex } from '../engines/sqlite/sqlite-storage.js';
import type { StorageOptions } from '../engines/storage-options.js';
import { Integrity } from '../kernel/integrity.js';
import { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import { CleanupStack } from './cleanup-stack.js';
import { lockStorage } from './open-storage.js';
import { attachmentsFolder } from './storage-identity.js';

export interface AdoptedDataDir {
  readonly storeId: string;
  readonly entries: number;
  readonly attachments: number;
}

/**
 * Records that all parts of a data directory belong to the logbook of its database. Removes nothing but the search index
 * of another logbook, which the next start replaces.
 * @param newLogbook whether to begin an empty logbook when there is none
 * @throws Error when a process is using the data directory, when there is no logbook in it, or already one in place of
 *   the new one
 */
export async function adoptDataDir(
  { dataDir }: StorageOptions,
  { newLogbook, log }: { readonly newLogbook: boolean; readonly log: Log },
): Promise<AdoptedDataDir> {
  const cleanup = new CleanupStack();
  const adopted = await cleanup.guard(async () => {
    const lock = await lockStorage({ kind: 'embedded', dataDir }, cleanup);
    let documents = await inspectDocuments(dataDir);
    if (documents.kind === 'damaged') {
      throw new Error(`${documentsFile} in ${dataDir} is not a readable database (${documents.reason}).`);
    }
    if (newLogbook) {
      if (documents.kind === 'present') throw new Error(`${dataDir} already contains a logbook.`);
      if (documents.hasLog) {
        throw new Error(
          `${documentsFile}-wal in ${dataDir} holds writes of the database that is missing. Move it and ${documentsFile}-shm to that database first.`,
        );
      }
      removeSearchIndex(dataDir);
      await createLogbook(dataDir, log);
      documents = await inspectDocuments(dataDir);
    }
    if (documents.kind !== 'present') {
      throw new Error(
        `There is no logbook in ${dataDir}. Put back the newest copy of ${documentsFile}, or use --new-logbook to begin an empty one.`,
      );
    }
    const { storeId } = documents;
    const removed = await removeForeignIndexes(dataDir, storeId);
    if (removed.length > 0) log.info({ files: removed }, 'search index of another logbook removed');
    const attachmentsDir = join(dataDir, attachmentsFolder);
    await mkdir(attachmentsDir, { recursive: true, mode: 0o700 });
    await writeBlobStoreId(attachmentsDir, storeId);
    lock.recordIdentity({ storeId, isComplete: true });
    lock.recordMarks([]);
    return documents;
  });
  await cleanup.close();
  return adopted;
}

async function createLogbook(dataDir: string, log: Log): Promise<void> {
  const { storage } = await openSqliteStorage({
    dataDir,
    log,
    jobs: new JobRegistry({ log }),
    integrity: new Integrity(log),
  });
  await storage.close();
}
