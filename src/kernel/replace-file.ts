import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from './sync-directory.js';

/** Maximum number of attempts; few processes open the same directory at the same time. */
const maxAttempts = 10;
/** Pattern for the name of a file until it is complete. Files of earlier versions lack the suffix. */
const stagedName = /^[a-z][a-z.-]*[.][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}([.]new)?$/;

/**
 * Writes a file that only its owner can read, next to the file that it will replace, and syncs it.
 * @returns the path of the new file, which the caller renames or removes
 */
export async function stageFile(file: string, content: string): Promise<string> {
  const staged = `${file}.${randomUUID()}.new`;
  const handle = await open(staged, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return staged;
}

/**
 * Replaces a small file durably: after a crash, it has either the earlier or the new content. A failure leaves nothing
 * behind.
 */
export async function replaceFile(file: string, content: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await replaceOnce(file, content);
      break;
    } catch (error) {
      // Another process that has just opened the directory removed the file as a leftover.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === maxAttempts) throw error;
    }
  }
  await syncDirectory(dirname(file));
}

async function replaceOnce(file: string, content: string): Promise<void> {
  const staged = await stageFile(file, content);
  try {
    await rename(staged, file);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
}

/** Removes files that crashes of `stageFile` left in a directory; no effect if the directory does not exist. */
export async function removeStagedFiles(dir: string): Promise<void> {
  const files = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const file of files) {
    if (file.isFile() && stagedName.test(file.name)) await rm(join(dir, file.name), { force: true });
  }
}
