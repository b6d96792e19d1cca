import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../kernel/replace-file.js';

/** Name of the file that identifies the store to which the folder belongs. */
export const blobStoreIdFile = 'store-id';

/** Returns the id of the store that owns the folder; undefined if there is no id file or it is empty. */
export async function readBlobStoreId(dir: string): Promise<string | undefined> {
  try {
    const storeId = (await readFile(join(dir, blobStoreIdFile), 'utf8')).trim();
    return storeId === '' ? undefined : storeId;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Records durably which store owns the folder. */
export async function writeBlobStoreId(dir: string, storeId: string): Promise<void> {
  await replaceFile(join(dir, blobStoreIdFile), `${storeId}\n`);
}

/** Lists the checksums of all files in the folder of a blob store, including quarantine, without changing anything. */
export async function readStoredChecksums(dir: string): Promise<Set<string>> {
  const names = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const checksums = new Set<string>();
  for (const folder of names) {
    if (!folder.isDirectory() || !/^([0-9a-f]{2}|quarantine)$/.test(folder.name)) continue;
    for (const name of await readdir(join(dir, folder.name))) {
      const isInPlace = folder.name === 'quarantine' || name.startsWith(folder.name);
      if (isInPlace && /^[0-9a-f]{64}$/.test(name)) checksums.add(name);
    }
  }
  return checksums;
}

/** Returns whether the folder of a blob store contains stored files; false if the folder does not exist. */
export async function holdsBlobs(dir: string): Promise<boolean> {
  try {
    for (const folder of await readdir(dir)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      if ((await readdir(join(dir, folder))).some((name) => name.startsWith(folder))) return true;
    }
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
