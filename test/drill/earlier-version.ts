import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transformWithOxc } from 'vite';
import { productDir } from '../../src/kernel/product.js';

const migrationsFile = 'src/engines/postgres/database/migrations.ts';
/** A field that each migration has once. */
const migrationMark = 'usableFrom:';

/** Returns the commit before the newest migration of PostgreSQL; undefined where the history is not at hand. */
export function findEarlierVersion(): string | undefined {
  try {
    const migration = git('log', '-1', '--format=%H', `-S${migrationMark}`, '--', migrationsFile).toString().trim();
    return git('rev-parse', '--verify', '--quiet', `${migration}^`).toString().trim();
  } catch {
    // No checkout, or one without its history.
    return undefined;
  }
}

/**
 * Builds the program of a commit, on the dependencies of this checkout.
 * @param dir does not exist yet
 * @returns the file that starts it
 */
export async function buildVersion(commit: string, dir: string): Promise<string> {
  await mkdir(dir);
  const archive = git('archive', '--format=tar', commit, 'src', 'assets', 'package.json', 'tsconfig.json');
  execFileSync('tar', ['-x', '-C', dir], { input: archive });
  await symlink(join(productDir, 'node_modules'), join(dir, 'node_modules'));
  for (const name of await readdir(join(dir, 'src'), { recursive: true })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const file = join(dir, 'src', name);
    const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { sourcemap: false });
    const built = join(dir, 'dist', 'src', name.replace(/ts$/, 'js'));
    await mkdir(dirname(built), { recursive: true });
    await writeFile(built, code);
  }
  return join(dir, 'dist', 'src', 'main.js');
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: productDir, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] });
}
