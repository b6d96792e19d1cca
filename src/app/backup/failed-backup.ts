import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupTarget } from '../../backup/backup-target.port.js';
import { removeExpired } from '../../backup/retention.js';
import { directoryTargetNames } from '../../engines/files/directory-target.js';
import { firstMissing } from '../keep-owner.js';

/** Removes the remains of a failed backup from a directory. */
export interface FailedBackup {
  /**
   * Notes that the target is open. After an abort by `signal` nothing is removed, because the next backup reuses the
   * stored data.
   */
  noteOpen(target: BackupTarget, signal: AbortSignal): void;
  /** Removes the objects that belong to no backup, if the directory had content. The target must be open. */
  removeObjects(): Promise<void>;
  /**
   * Removes everything from a directory that was empty or missing before, and each directory that the backup created.
   * The target must be closed.
   */
  removeDirectory(): Promise<void>;
}

/** Examines the directory before a backup is made in it. */
export async function prepareRemoval(dir: string): Promise<FailedBackup> {
  const before = await readdir(dir).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : []));
  const top = await firstMissing(dir);
  const isNew = before === undefined || before.every((name) => name === 'lost+found');
  let opened: { readonly target: BackupTarget; readonly signal: AbortSignal } | undefined;
  return {
    noteOpen(target, signal) {
      opened = { target, signal };
    },
    async removeObjects() {
      if (!opened || opened.signal.aborted || isNew) return;
      // This removes no backup, trusted or not, but only the remains of interrupted ones.
      const trust = { keys: [], acceptUnsigned: true };
      // The cause of the failed backup is more important than an error of this cleanup.
      await removeExpired(opened.target, { keep: undefined, trust, signal: opened.signal }).catch(() => undefined);
    },
    async removeDirectory() {
      if (!isNew || opened?.signal.aborted) return;
      for (const name of directoryTargetNames) {
        await rm(join(dir, name), { recursive: true, force: true }).catch(() => undefined);
      }
      if (before !== undefined) return;
      try {
        for (let path = dir; ; path = dirname(path)) {
          await rmdir(path);
          if (path === top) return;
        }
      } catch {
        // The directory was never created, or another program already uses it.
      }
    },
  };
}
