import { existsSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeMark, encodeMark, type RestoreMark, refusalOf, restoreMarkName } from '../../backup/restore-mark.js';
import { commandFor } from '../../kernel/command-hint.js';
import { syncDirectory } from '../../kernel/sync-directory.js';

/** Name of a mark that is being written. */
export const unfinishedMarker = `${restoreMarkName}.new`;

/** Records durably that a directory is being restored, and so contains only restored data. */
export async function writeRestoreMarker(dir: string, mark: RestoreMark): Promise<void> {
  const file = join(dir, unfinishedMarker);
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(encodeMark(mark));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(file, join(dir, restoreMarkName));
  await syncDirectory(dir);
}

/** Removes the mark, if there is one. */
export async function removeRestoreMarker(dir: string): Promise<void> {
  await rm(join(dir, restoreMarkName), { force: true });
  await syncDirectory(dir);
}

/** Returns the mark of an unfinished restore or copy in this directory; undefined when there is none. */
export function findRestoreMarker(dir: string): RestoreMark | undefined {
  const file = join(dir, restoreMarkName);
  return existsSync(file) ? decodeMark(readFileSync(file, 'utf8')) : undefined;
}

/** @throws Error with advice when a restore into this directory is unfinished */
export function refuseIncompleteRestore(dataDir: string): void {
  const mark = findRestoreMarker(dataDir);
  if (mark) throw refusalOf(mark, dataDir, commandFor('restore', dataDir));
}
