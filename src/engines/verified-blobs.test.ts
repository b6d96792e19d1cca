import { randomBytes } from 'node:crypto';
import { rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeTempDir } from '../../test/fixtures/service.js';
import { versionOf } from './files/verified-file.js';
import { DamagedFile, VerifiedBlobs } from './verified-blobs.js';

const reference = { checksum: 'a'.repeat(64), size: 10 };
const damage = new DamagedFile('the content of the file has changed');

let dir: string;
let nowMs: number;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  nowMs = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  dir = await makeTempDir();
  await writeFile(join(dir, 'file'), randomBytes(10));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await rm(dir, { recursive: true });
});

const stats = async () => versionOf(await stat(join(dir, 'file'), { bigint: true }));
const pass = (ms: number) => {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
};

test('damage is remembered for five minutes, and the file is then read again', async () => {
  const files = new VerifiedBlobs();
  const found = await stats();
  files.delete(reference.checksum, damage, found);
  pass(299_000);
  expect(() => files.checkNotDamaged(reference, found)).toThrow(damage);
  pass(2_000);
  expect(() => files.checkNotDamaged(reference, found)).not.toThrow();
});

test('damage is forgotten when the file changes, or is verified', async () => {
  const files = new VerifiedBlobs();
  const found = await stats();
  files.delete(reference.checksum, damage, found);
  await utimes(join(dir, 'file'), 1, 1);
  const changed = await stats();
  expect(() => files.checkNotDamaged(reference, changed)).not.toThrow();
  expect(() => files.checkNotDamaged(reference, found)).toThrow(damage);
  files.add(reference, found);
  expect(() => files.checkNotDamaged(reference, found)).not.toThrow();
  expect([files.has(reference, found), files.has(reference, changed)]).toEqual([true, false]);
});

test('an error that says nothing about the content is not remembered as damage', async () => {
  const files = new VerifiedBlobs();
  const found = await stats();
  files.add(reference, found);
  files.delete(reference.checksum, new Error('EIO'), found);
  expect(files.has(reference, found)).toBe(false);
  expect(() => files.checkNotDamaged(reference, found)).not.toThrow();
});
