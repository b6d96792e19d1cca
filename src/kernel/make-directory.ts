import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a directory and those above it. The recursive way of Node never ends where a parent refuses children. */
export async function makeDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(dir)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(dir) === dir) throw error;
    await makeDirectory(dirname(dir));
    await mkdir(dir);
  }
}
