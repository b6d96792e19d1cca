import { existsSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandFor } from '../../kernel/command-hint.js';
import { syncDirectory } from '../../kernel/sync-directory.js';

/** The file that marks a directory into which a restore has not ended. */
export const restoreMarker = 'restore-incomplete';

/** Records, durably, that a data directory is being restored: everything in it comes from that. */
export async function writeRestoreMarker(dataDir: string, backup: string): Promise<void> {
  const handle = await open(join(dataDir, restoreMarker), 'w', 0o600);
  try {
    await handle.writeFile(`${backup}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(dataDir);
}

export async function removeRestoreMarker(dataDir: string): Promise<void> {
  await rm(join(dataDir, restoreMarker));
  await syncDirectory(dataDir);
}

/** Whether a restore into this directory has begun and not ended. */
export const isRestoreIncomplete = (dataDir: string): boolean => existsSync(join(dataDir, restoreMarker));

/** @throws Error that says what to do when a restore into this directory has not ended */
export function refuseIncompleteRestore(dataDir: string): void {
  if (!isRestoreIncomplete(dataDir)) return;
  const backup = readFileSync(join(dataDir, restoreMarker), 'utf8').trim();
  throw new Error(
    `The restore of the backup ${backup} into ${dataDir} did not end: the directory is not complete. Nothing was changed. Run “${commandFor('restore', dataDir)}” again with the place of the backups and --start-over.`,
  );
}
