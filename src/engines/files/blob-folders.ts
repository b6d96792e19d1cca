import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../kernel/make-directory.js';
import { removeStagedFiles } from '../../kernel/replace-file.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { unlessMissing } from '../../kernel/unless-missing.js';

/** Time without changes after which a staging folder counts as abandoned. No upload stays idle this long. */
const abandonedMs = 3_600_000;

/** Names of the folders of stored files: the first byte of their checksums. */
export const folders = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Creates the missing folders of a blob store, and removes unfinished files left by crashes.
 * @param node see `FileBlobStoreOptions`
 * @returns the empty folder for staged files
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
    // Files staged by a previous process no longer have an owner.
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return dir;
  }
  // Each run has its own folder: a node whose data directory is a copy of another one has the same name.
  const staging = join(dir, node, randomUUID());
  await mkdir(staging, { recursive: true, mode: 0o700 });
  for (const name of await readdir(join(dir, node))) {
    const former = join(dir, node, name);
    if (former !== staging && (await isAbandoned(former))) await rm(former, { recursive: true, force: true });
  }
  return staging;
}

/** Whether a folder has not changed for `abandonedMs`. */
async function isAbandoned(folder: string): Promise<boolean> {
  const names = (await unlessMissing(() => readdir(folder, { recursive: true }).catch(unlessFile))) ?? [];
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    const found = await unlessMissing(() => stat(path));
    if (found && Date.now() - found.mtimeMs < abandonedMs) return false;
  }
  return true;
}

/** Treats a file as an empty folder: earlier versions of the program staged files without a folder. */
function unlessFile(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOTDIR') return [];
  throw error;
}
