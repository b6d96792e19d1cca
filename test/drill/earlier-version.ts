import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transformWithOxc } from 'vite';
import { migrations } from '../../src/engines/postgres/database/migrations.js';
import { productDir } from '../../src/kernel/product.js';

const migrationsFile = 'src/engines/postgres/database/migrations.ts';
const migrationsDir = 'src/engines/postgres/database/migrations';
/** Folders whose files are built, as far as a version has them. */
const sources = ['src', 'packages'];
/** A field that each migration has once. */
const migrationMark = 'usableFrom:';

/**
 * Returns a commit whose program can work next to this one: the last one before the newest migration of PostgreSQL or,
 * if this migration needs all nodes stopped, the one that added it. Returns undefined if the history is not at hand.
 */
export function findCompatibleVersion(): string | undefined {
  const newest = migrations.length;
  const file = `${migrationsDir}/${String(newest).padStart(3, '0')}-*.ts`;
  const stopsAll = migrations.at(-1)?.usableFrom === newest;
  try {
    const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', file).toString().trim();
    return git('rev-parse', '--verify', '--quiet', stopsAll ? added : `${added}^`)
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

/** Returns a commit with earlier migrations of PostgreSQL; undefined where the history is not at hand. */
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
 * Builds the program of a commit, on the dependencies of this checkout. Packages that only earlier programs need are among
 * those for development.
 * @param dir does not exist yet
 * @returns the file that starts it
 */
export async function buildVersion(commit: string, dir: string): Promise<string> {
  await mkdir(dir);
  const parts = git('ls-tree', '--name-only', commit, ...sources, 'assets', 'package.json', 'tsconfig.json')
    .toString()
    .trim()
    .split('\n');
  const archive = git('archive', '--format=tar', commit, ...parts);
  execFileSync('tar', ['-x', '-C', dir], { input: archive });
  await symlink(join(productDir, 'node_modules'), join(dir, 'node_modules'));
  for (const part of parts.filter((name) => sources.includes(name))) await buildFolder(dir, part);
  return join(dir, 'dist', 'src', 'main.js');
}

async function buildFolder(dir: string, folder: string): Promise<void> {
  for (const name of await readdir(join(dir, folder), { recursive: true })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const file = join(dir, folder, name);
    const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { sourcemap: false });
    const built = join(dir, 'dist', folder, name.replace(/ts$/, 'js'));
    await mkdir(dirname(built), { recursive: true });
    await writeFile(built, code);
  }
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: productDir, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] });
}
