import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { projects } from '../../vitest.config.js';

/** Names of the projects that a test file states, by its folder and by the words before `.test.ts`. */
function statedProjects(file: string): string[] {
  const folder = /^test\/([^/]+)\//.exec(file)?.[1] ?? '';
  const words = file
    .slice(file.lastIndexOf('/') + 1)
    .split('.')
    .slice(1, -2);
  return projects.includes(folder) ? [folder, ...words] : words;
}

test('each test file belongs to exactly one project', async () => {
  const names = await Promise.all(
    ['src', 'packages', 'test'].map(async (folder) =>
      (await readdir(join(productDir, folder), { recursive: true })).map((name) => `${folder}/${name}`),
    ),
  );
  const files = names.flat().filter((file) => file.endsWith('.test.ts'));
  const wrong = files.filter((file) => {
    const stated = statedProjects(file);
    return stated.length > 1 || stated.some((name) => !projects.includes(name));
  });
  expect([files.length > 100, wrong]).toEqual([true, []]);
});

/** The tests that run the suites of all storages, and those of all searches. */
const engines = {
  storage: ['contract/sqlite.integration.test.ts', 'engines/postgres.test.ts'],
  search: ['contract/sqlite.integration.test.ts', 'engines/replica.test.ts', 'engines/opensearch.test.ts'],
};

test('each contract suite of a storage or a search runs on every engine', async () => {
  const read = (file: string) => readFile(join(productDir, 'test', file), 'utf8');
  const suites = (await readdir(join(productDir, 'test', 'contract'))).filter((name) => name.endsWith('.suite.ts'));
  const missing: string[] = [];
  for (const suite of suites) {
    const [found, storage] = /: StorageEngine(?:<(\w+)>)?\): void/.exec(await read(`contract/${suite}`)) ?? [];
    if (found === undefined) continue;
    const name = suite.replace(/ts$/, 'js');
    for (const file of storage === 'OpenSearchableStorage' ? engines.search : engines.storage) {
      if (!(await read(file)).includes(`/${name}'`)) missing.push(`${suite} in ${file}`);
    }
  }
  expect([suites.length > 20, missing]).toEqual([true, []]);
});
