import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupPlace } from '../../backup/backup-place.port.js';
import { removeExpired } from '../../backup/retention.js';
import { directoryPlaceNames } from '../../engines/files/directory-place.js';
import { firstMissing } from '../keep-owner.js';

/** Removes what a failed backup has left in a directory. */
export interface FailedBackup {
  /** Notes that the place is open, and the signal whose abort is no failure: what is stored serves the next backup. */
  noteOpen(place: BackupPlace, signal: AbortSignal): void;
  /** Removes the objects that no backup has, while the place is open. */
  removeObjects(): Promise<void>;
  /** Removes the directory and those above it as far as the backup has created them, once the place is closed. */
  removeDirectory(): Promise<void>;
}

/** Looks at the directory before a backup is made there. */
export async function prepareRemoval(dir: string): Promise<FailedBackup> {
  const before = await readdir(dir).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : []));
  const top = await firstMissing(dir);
  const isNew = before === undefined || before.every((name) => name === 'lost+found');
  let opened: { readonly place: BackupPlace; readonly signal: AbortSignal } | undefined;
  return {
    noteOpen(place, signal) {
      opened = { place, signal };
    },
    async removeObjects() {
      if (!opened || opened.signal.aborted || isNew) return;
      // No backup is removed, whoever made it.
      const trust = { keys: [], acceptUnsigned: true };
      // The cause of the failure is more important than one of this.
      await removeExpired(opened.place, { keep: undefined, trust, signal: opened.signal }).catch(() => undefined);
    },
    async removeDirectory() {
      if (!isNew || opened?.signal.aborted) return;
      for (const name of directoryPlaceNames) {
        await rm(join(dir, name), { recursive: true, force: true }).catch(() => undefined);
      }
      if (before !== undefined) return;
      try {
        for (let path = dir; ; path = dirname(path)) {
          await rmdir(path);
          if (path === top) return;
        }
      } catch {
        // Another program uses it by now, or it was never created.
      }
    },
  };
}
