import { statSync } from 'node:fs';

/**
 * Returns whether a file or directory exists. Unlike `existsSync`, fails for a file in a directory that this user
 * cannot enter.
 * @throws Error of the operating system when the check is refused
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
