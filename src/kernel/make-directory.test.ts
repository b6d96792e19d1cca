import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectory } from './make-directory.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'make-directory-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('many may create the same directory and its missing parents at the same time', async () => {
  const created = Array.from({ length: 30 }, () => makeDirectory(join(dir, 'a', 'b', 'c'), 0o700));
  expect((await Promise.allSettled(created)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('a file of this name is an error', async () => {
  await writeFile(join(dir, 'a'), '');
  await expect(makeDirectory(join(dir, 'a'))).rejects.toMatchObject({ code: 'EEXIST' });
});
