import { statSync } from 'node:fs';

/**
 * Returns whether a file or directory is there. Not `existsSync`, for which a file in a directory that this user cannot enter
 * does not exist.
 * @throws Error of the operating system when it refuses to say
 */
export function fileExists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
