import type { Dirent } from 'node:fs';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../kernel/log.js';
import { unlessMissing } from '../kernel/unless-missing.js';

/** Depth of the folders of a data directory, such as `attachments/ab`. */
const depth = 2;
const othersBits = 0o077;

/**
 * Removes the access of other users of the machine to a data directory. Attachment files are always created for one
 * user only, so only their folders are examined.
 */
export async function restrictAccess(dataDir: string, log: Log): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    await restrictFolder(dataDir, depth);
  } catch (error) {
    // Another user owns the directory, or the file system has no permissions, so the operator has to decide.
    log.warn({ err: error }, 'access to the data directory could not be restricted');
  }
}

async function restrictFolder(dir: string, levels: number): Promise<void> {
  await restrict(dir, 0o700);
  if (levels === 0) return;
  for (const entry of await readdir(dir, { withFileTypes: true })) await restrictEntry(dir, entry, levels);
}

async function restrictEntry(dir: string, entry: Dirent, levels: number): Promise<void> {
  const path = join(dir, entry.name);
  if (entry.isDirectory()) await restrictFolder(path, levels - 1);
  // Links are not followed, because they may point to somebody else's file, for example a certificate.
  else if (entry.isFile() && (levels === depth || entry.name.endsWith('.pem'))) await restrict(path, 0o600);
}

async function restrict(path: string, mode: number): Promise<void> {
  // The previous process may still be removing its files.
  await unlessMissing(async () => {
    const found = await stat(path);
    if ((found.mode & othersBits) !== 0) await chmod(path, mode);
  });
}
