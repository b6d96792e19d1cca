import { readdir } from 'node:fs/promises';
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
