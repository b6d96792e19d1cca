import { lchown, lstat, opendir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unlessMissing } from '../kernel/unless-missing.js';

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Directories of a command. `ownedBy`: the first existing one determines the owner of the service's files. `written`:
 * directories to which the command writes.
 */
export interface OwnedDirectories {
  readonly ownedBy: readonly string[];
  readonly written: readonly string[];
}

/**
 * Runs `work`, which may write to directories of the service. If root runs it, the created files are given to the owner
 * of the service's files, so that the service can use them.
 */
export async function keepOwner<T>({ ownedBy, written }: OwnedDirectories, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  const owner = await findOwner(ownedBy);
  const created = await Promise.all(written.map(firstMissing));
  try {
    return await work();
  } finally {
    if (owner && owner.uid !== 0) for (const dir of created) await giveTo(dir, owner);
  }
}

async function findOwner(paths: readonly string[]): Promise<Owner | undefined> {
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined);
    if (found) return found;
  }
  return undefined;
}

/** Returns the directory, or its highest ancestor that does not exist. */
export async function firstMissing(dir: string): Promise<string> {
  const parent = dirname(dir);
  const exists = (path: string) =>
    lstat(path).then(
      () => true,
      () => false,
    );
  return parent === dir || (await exists(dir)) || (await exists(parent)) ? dir : firstMissing(parent);
}

/**
 * Gives files of root to the owner. Files may disappear during this: a running service removes its own, and SQLite those
 * of a closed database.
 */
async function giveTo(path: string, owner: Owner): Promise<void> {
  await unlessMissing(async () => {
    const found = await lstat(path);
    if (found.uid === 0) await lchown(path, owner.uid, owner.gid);
    if (!found.isDirectory()) return;
    for await (const { name } of await opendir(path)) await giveTo(join(path, name), owner);
  });
}
