import { join } from 'node:path';
import { documentsFile } from '../engines/sqlite/inspect-documents.js';
import { fileExists } from '../kernel/file-exists.js';

/**
 * Refuses a directory without a logbook before anything is created in it. A lock would be the first file in a directory
 * that was named by mistake.
 */
export function requireLogbook(dataDir: string): void {
  if (!fileExists(join(dataDir, documentsFile))) throw noLogbook(dataDir);
}

export function noLogbook(dataDir: string): Error {
  return new Error(`There is no logbook in ${dataDir}. Nothing was changed. Check the name of the directory.`);
}
