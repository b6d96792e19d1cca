import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';

interface LockedPackage {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly link?: true;
}

const read = (file: string) => JSON.parse(readFileSync(join(productDir, file), 'utf8'));
const lockFile = (folder: string) =>
  read(join(folder, 'package-lock.json')) as { readonly packages: Readonly<Record<string, LockedPackage>> };

const maxPackages = 400;
const isFor = (list: readonly string[] | undefined, value: string) => list?.includes(value) ?? true;

test(`a checkout installs at most ${maxPackages} packages on Linux`, () => {
  const installed = Object.entries(lockFile('.').packages).filter(
    ([path, { os, cpu, libc, link }]) =>
      path.startsWith('node_modules/') && !link && isFor(os, 'linux') && isFor(cpu, 'x64') && isFor(libc, 'glibc'),
  );
  expect(installed.length).toBeGreaterThan(200);
  expect(installed.length).toBeLessThanOrEqual(maxPackages);
});

test('each tool is installed for checks and documentation alone', () => {
  const tools = Object.keys(read('tools/package.json').devDependencies);
  expect(tools).toContain('eslint');
  const others = ['package.json', 'web/package.json'].map(read);
  const names = others.flatMap((one) => Object.keys({ ...one.dependencies, ...one.devDependencies }));
  expect(names.filter((name) => tools.includes(name))).toEqual([]);
});
