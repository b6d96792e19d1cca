import { chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepOwner } from './keep-owner.js';

const fileCount = 20;
/** Number of rounds: in a single one, no file may disappear at a critical moment. */
const roundCount = 10;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'keep-owner-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe.skipIf(process.getuid?.() !== 0)('the files that root creates', () => {
  test('belong to the owner of the service’s files, while other files appear and disappear', async () => {
    const ownedBy = join(dir, 'data');
    await mkdir(ownedBy);
    await chown(ownedBy, 65_534, 65_534);
    const kept = join(ownedBy, 'kept');
    await writeFile(kept, '');
    const isDone = new AbortController();
    const changing = Promise.all(
      Array.from({ length: fileCount }, async (_, n) => {
        const file = join(ownedBy, String(n));
        while (!isDone.signal.aborted) await writeFile(file, '').then(() => rm(file));
      }),
    );
    for (let round = 0; round < roundCount; round++) {
      await keepOwner({ ownedBy: [ownedBy], written: [ownedBy] }, async () => undefined);
    }
    isDone.abort();
    await changing;
    expect((await stat(kept)).uid).toBe(65_534);
  });
});
