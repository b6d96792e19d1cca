import { constants, createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  type BackupFolder,
  type BackupTarget,
  type StoredObject,
  targetOwnerName,
} from '../../backup/backup-target.port.js';
import type { FileReference } from '../../backup/file-access.port.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { unlessMissing } from '../../kernel/unless-missing.js';

const stagingFolder = 'incoming';
const folders: readonly BackupFolder[] = ['backups', 'pool', 'unfinished', 'damaged'];
const maxOwnerBytes = 4_096;
/** Names of everything that a backup creates in an empty directory. */
export const directoryTargetNames: readonly string[] = [
  ...folders,
  stagingFolder,
  targetOwnerName,
  'lock.sqlite',
  'lock.sqlite-journal',
];

/**
 * Names that a free directory may contain: the folders, the lock that the caller created, an owner file without an id,
 * and the `lost+found` of a new file system.
 */
const otherNames = /^(lock[.]sqlite.*|logbook-backups|lost[+]found|incoming|backups|pool|unfinished|damaged)$/;

/**
 * Opens a directory with backups.
 * @param mayWrite whether this process is the only writer; the directory is then prepared
 * @throws Error when the directory has other files and no backups
 */
export async function openDirectoryTarget(dir: string, mayWrite: boolean): Promise<BackupTarget> {
  const owner = await readOwner(dir);
  if (owner === undefined && !(await isFree(dir))) {
    throw new Error(
      `${dir} has other files and no backups. Nothing was changed. Name a directory that is empty or does not exist.`,
    );
  }
  if (mayWrite) {
    await rm(join(dir, stagingFolder), { recursive: true, force: true });
    for (const folder of [...folders, stagingFolder]) await mkdir(join(dir, folder), { recursive: true, mode: 0o700 });
  }
  return new DirectoryTarget(dir, owner);
}

async function readOwner(dir: string): Promise<string | undefined> {
  const file = join(dir, targetOwnerName);
  const found = await unlessMissing(() => stat(file));
  if (found && !(found.isFile() && found.size <= maxOwnerBytes))
    throw new Error(`${file} does not contain the id of a logbook. Move it away.`);
  const text = found && (await unlessMissing(() => readFile(file, 'utf8')));
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

async function isFree(dir: string): Promise<boolean> {
  const names = (await unlessMissing(() => readdir(dir))) ?? [];
  return names.every((name) => otherNames.test(name));
}

class DirectoryTarget implements BackupTarget {
  readonly stagingDir: string;
  /** Directories whose latest entries are not yet durable. */
  private readonly changed = new Set<string>();

  constructor(
    readonly name: string,
    public storeId: string | undefined,
  ) {
    this.stagingDir = join(name, stagingFolder);
  }

  async claim(storeId: string): Promise<void> {
    const staged = join(this.stagingDir, targetOwnerName);
    const handle = await open(staged, 'w', 0o600);
    try {
      await handle.writeFile(`${storeId}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(staged, join(this.name, targetOwnerName));
    await syncDirectory(this.name);
    this.storeId = storeId;
  }

  async *list(folder: BackupFolder): AsyncGenerator<StoredObject[]> {
    const dir = join(this.name, folder);
    const names = (await unlessMissing(() => readdir(dir))) ?? [];
    const dirs = folder === 'pool' ? names.map((name) => join(dir, name)) : [dir];
    for (const one of dirs) {
      const objects: StoredObject[] = [];
      for (const name of (await unlessMissing(() => readdir(one))) ?? []) {
        const found = await unlessMissing(() => stat(join(one, name)));
        if (found?.isFile()) objects.push({ name, bytes: found.size });
      }
      yield objects;
    }
  }

  async open(folder: BackupFolder, name: string): Promise<Readable | undefined> {
    const path = this.describe(folder, name);
    // The flag prevents the opening of a named pipe from waiting for a writer.
    const handle = await unlessMissing(() => open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
    if (!handle) return undefined;
    if ((await handle.stat()).isFile()) return createReadStream('', { fd: handle });
    await handle.close();
    throw new Error(`${path} is not a file. Move it away.`);
  }

  async store(folder: BackupFolder, name: string, stagedFile: string, _file: FileReference): Promise<void> {
    const dir = this.dirOf(folder, name);
    // A new directory becomes durable only with its parent.
    if ((await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined) this.changed.add(join(this.name, folder));
    await rename(stagedFile, join(dir, name));
    this.changed.add(dir);
  }

  async flush(): Promise<void> {
    for (const dir of this.changed) {
      await syncDirectory(dir);
      this.changed.delete(dir);
    }
  }

  async remove(folder: BackupFolder, name: string): Promise<boolean> {
    const removed = await unlessMissing(async () => {
      await rm(this.describe(folder, name));
      return true;
    });
    const dir = this.dirOf(folder, name);
    // A killed backup may have named the file in its journal without having created the folder.
    if (removed || (await unlessMissing(() => stat(dir)))) this.changed.add(dir);
    return removed ?? false;
  }

  describe(folder: BackupFolder, name: string): string {
    return join(this.dirOf(folder, name), name);
  }

  async close(): Promise<void> {
    await this.flush();
  }

  private dirOf(folder: BackupFolder, name: string): string {
    return join(this.name, folder, ...(folder === 'pool' ? [name.slice(0, 2)] : []));
  }
}
