import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { restoreMarkName } from '../backup/restore-mark.js';
import { blobStoreIdFile } from '../engines/files/blob-store-identity.js';
import { lockFile } from '../engines/sqlite/data-dir-lock.js';
import { entryIdsFile } from '../engines/sqlite/entry-ids.js';
import { documentsFile } from '../engines/sqlite/inspect-documents.js';
import { reservedFile } from '../engines/sqlite/reserved-space.js';
import { indexFilesIn } from '../engines/sqlite/search/index/index-files.js';
import { backupKeyFile, backupPublicKeyFile } from './backup/backup-keys.js';
import { noteFile } from './backup/newest-backup.js';
import { attachmentsFolder } from './storage-identity.js';

const databases = [documentsFile, ...indexFilesIn('').map((file) => basename(file)), lockFile];
const files = [
  ...databases.flatMap((name) => ['', '-wal', '-shm', '-journal'].map((suffix) => `${name}${suffix}`)),
  entryIdsFile,
  reservedFile,
  restoreMarkName,
  backupKeyFile,
  backupPublicKeyFile,
  noteFile,
  join(attachmentsFolder, blobStoreIdFile),
];
const directories = ['', attachmentsFolder, join(attachmentsFolder, 'incoming'), join(attachmentsFolder, 'quarantine')];

/**
 * Checks that each file of a data directory is a regular file, and each directory a directory. A read of a named pipe
 * would never return, and SQLite's error for a directory does not help.
 * @throws Error that states what was found, what was expected and what to do
 */
export async function checkFileKinds(dataDir: string): Promise<void> {
  for (const name of directories) await check(join(dataDir, name), 'a directory', (found) => found.isDirectory());
  for (const name of files) await check(join(dataDir, name), 'a file', (found) => found.isFile());
}

async function check(path: string, expected: string, isExpected: (found: Stats) => boolean): Promise<void> {
  const found = await findKind(path);
  if (!found || isExpected(found)) return;
  throw new Error(
    `${path} is ${describe(found)}, not ${expected}. Nothing was changed. Choose another data directory, or move ${basename(path)} elsewhere and restore the original. If there is none, the next start says whether it is needed.`,
  );
}

/** Returns undefined if the path does not exist, or cannot be examined: opening it then fails with the reason. */
async function findKind(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch {
    return undefined;
  }
}

function describe(found: Stats): string {
  if (found.isFile()) return 'a file';
  if (found.isDirectory()) return 'a directory';
  if (found.isFIFO()) return 'a named pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}
