import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../kernel/make-directory.js';
import { removeStagedFiles } from '../../kernel/replace-file.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { unlessMissing } from './unless-missing.js';

/** No upload stays idle this long. */
const abandonedMs = 3_600_000;

/** The folders of stored files, by the first byte of their checksums. */
export const folders = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Creates the folders of a blob store that are missing, and removes what crashes have left of unfinished files.
 * @param node see `FileBlobStoreOptions`
 * @returns the folder for staged files, which is empty
 */
export async function prepareFolders(dir: string, node: string | undefined): Promise<string> {
  await removeStagedFiles(dir);
  const incoming = await prepareStaging(join(dir, 'incoming'), node);
  const present = new Set(await readdir(dir));
  for (const folder of [...folders, 'quarantine']) {
    if (!present.has(folder)) await makeDirectory(join(dir, folder), 0o700);
  }
  await syncDirectory(dir);
  return incoming;
}

async function prepareStaging(dir: string, node: string | undefined): Promise<string> {
  if (node === undefined) {
    // Files that a previous process had staged have no owner any more.
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return dir;
  }
  // A folder of this run alone: a node whose data directory was copied from another has the same name.
  const staging = join(dir, node, randomUUID());
  await mkdir(staging, { recursive: true, mode: 0o700 });
  for (const name of await readdir(join(dir, node))) {
    const former = join(dir, node, name);
    if (former !== staging && (await isAbandoned(former))) await rm(former, { recursive: true, force: true });
  }
  return staging;
}

/** Whether nothing in a folder has changed for long. */
async function isAbandoned(folder: string): Promise<boolean> {
  const names = (await unlessMissing(() => readdir(folder, { recursive: true }).catch(unlessFile))) ?? [];
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    const found = await unlessMissing(() => stat(path));
    if (found && Date.now() - found.mtimeMs < abandonedMs) return false;
  }
  return true;
}

/** Treats a file as a folder without content: earlier versions of the program staged files without a folder. */
function unlessFile(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOTDIR') return [];
  throw error;
}
