import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory with this mode, including missing parents; no effect if it exists. The recursive mode of Node
 * would never return if a parent refuses children.
 */
export async function makeDirectory(dir: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(dir, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || dirname(dir) === dir) throw error;
    await makeDirectory(dirname(dir));
    await makeOne(dir, mode);
  }
}

async function makeOne(dir: string, mode: number): Promise<void> {
  try {
    await mkdir(dir, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !(await stat(dir)).isDirectory()) throw error;
  }
}
