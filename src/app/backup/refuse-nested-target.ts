import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import type { StorageOptions } from '../../engines/storage-options.js';

/**
 * Refuses a backup target that is inside a directory of the logbook, or contains one.
 * @throws Error that names the reason
 */
export async function refuseNestedTarget(storage: StorageOptions, target: BackupTargetOptions): Promise<void> {
  if (target.kind !== 'directory') return;
  const realTarget = await realPathOf(target.dir);
  const hasOwnFolder = storage.kind === 'postgres' && storage.blobs.kind === 'files';
  const directories = [
    { name: 'the data directory', dir: storage.dataDir },
    ...(hasOwnFolder ? [{ name: 'the directory of the attachments', dir: storage.attachmentsDir }] : []),
  ];
  for (const { name, dir } of directories) {
    const found = await realPathOf(dir);
    if (!isWithin(realTarget, found) && !isWithin(found, realTarget)) continue;
    const how = realTarget === found ? 'is' : isWithin(realTarget, found) ? 'is inside' : 'contains';
    throw new Error(
      `The backup target, ${target.dir}, ${how} ${name}, ${dir}: whatever removes or damages one would affect the other. Choose another directory, preferably on another disk. Backups that were made there can be verified and restored, and moved with “mv”.`,
    );
  }
}

function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : `${dir}${sep}`);
}

/** Returns the path without symbolic links, even if its last parts do not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    // Other problems are reported when the path is opened.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(absolute) === absolute) return absolute;
    return join(await realPathOf(dirname(absolute)), basename(absolute));
  }
}
