import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../kernel/make-directory.js';
import { syncDirectory } from '../../kernel/sync-directory.js';

/** The folders of stored files, by the first byte of their checksums. */
export const folders = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Creates the folders of a blob store that are missing.
 * @param node see `FileBlobStoreOptions`
 * @returns the folder for staged files, which is empty
 */
export async function prepareFolders(dir: string, node: string | undefined): Promise<string> {
  const incoming = join(dir, 'incoming', node ?? '');
  // Files that a previous process had staged have no owner any more; those of other nodes have.
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const present = new Set(await readdir(dir));
  for (const folder of [...folders, 'quarantine']) {
    if (!present.has(folder)) await makeDirectory(join(dir, folder), 0o700);
  }
  await syncDirectory(dir);
  return incoming;
}
