import { renameSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../kernel/sync-directory.js';

/** Folder for files that no attachment refers to. */
export class Quarantine {
  constructor(readonly dir: string) {}

  /** Moves a file into quarantine, synchronously. Returns false if the file does not exist. */
  take(file: string, checksum: string): boolean {
    return ifPresent(() => renameSync(file, this.pathOf(checksum)));
  }

  /**
   * Moves a file back. No effect if it is not in quarantine, or if a file exists at the target, which may be intact.
   */
  async giveBack(checksum: string, file: string): Promise<void> {
    try {
      await link(this.pathOf(checksum), file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EEXIST') return;
      throw error;
    }
    await syncDirectory(dirname(file));
    await this.remove(checksum);
  }

  async remove(checksum: string): Promise<void> {
    await rm(this.pathOf(checksum), { force: true });
  }

  private pathOf(checksum: string): string {
    return join(this.dir, checksum);
  }
}

/** Returns whether the file existed. */
export function ifPresent(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
