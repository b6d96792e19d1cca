import { join } from 'node:path';
import type { DocumentSnapshot } from '../../backup/document-snapshot.port.js';
import type { FileReader } from '../../backup/file-access.port.js';
import { fileReader } from '../../engines/files/file-reader.js';
import { openSqliteSnapshot } from '../../engines/sqlite/backup/sqlite-snapshot.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import type { Log } from '../../kernel/log.js';
import { attachmentsFolder } from '../storage-identity.js';

/** Opens the documents of a logbook in their current state, even while the service runs. */
export async function openSnapshot(options: StorageOptions, log: Log): Promise<DocumentSnapshot> {
  if (options.kind === 'embedded') return openSqliteSnapshot(options.dataDir);
  const { openPostgresSnapshot } = await import('../../engines/postgres/backup/postgres-snapshot.js');
  return openPostgresSnapshot(options.postgres, log);
}

/** Opens the files of a logbook for reading, even while the service runs. */
export async function openFileReader(options: StorageOptions, log: Log): Promise<FileReader> {
  if (options.blobs.kind === 'files') return fileReader(attachmentsDirOf(options));
  const { objectFileReader } = await import('../../engines/s3/object-file-reader.js');
  return objectFileReader(options.blobs.s3, log);
}

/** Returns the directory of the attachment files with `blobs=files`. */
export function attachmentsDirOf(options: StorageOptions): string {
  return options.kind === 'embedded' ? join(options.dataDir, attachmentsFolder) : options.attachmentsDir;
}
