import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore } from '../../src/attachments/blob-store.port.js';
import { FileVerification } from '../../src/attachments/file-verification-job.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { attachment } from '../fixtures/entries.js';
import { silentJobs, silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const dayMs = 86_400_000;

let dir: string;
let opened: OpenStorage;
let blobs: BlobStore;
let damaged: string[];
let nowMs: number;
beforeEach(async () => {
  dir = await makeTempDir();
  damaged = [];
  nowMs = 1_000_000;
  opened = await sqliteEngine.open();
  blobs = await openFileBlobStore({ dir, onDamage: (checksum) => void damaged.push(checksum) });
});
afterEach(async () => {
  await opened.destroy();
  await rm(dir, { recursive: true });
});

/**
 * Stores this number of files that attachments refer to; returns their checksums, in the order in which they are
 * verified.
 */
async function store(count: number): Promise<string[]> {
  const checksums: string[] = [];
  for (let at = 0; at < count; at++) {
    const blob = await blobs.stage(Readable.from([Buffer.from(`file ${at}`)]), 1_000);
    await blobs.commit(blob);
    blobs.release(blob);
    const { checksum, size } = blob;
    await opened.storage.write((tx) => tx.attachments.insert(attachment({ id: checksum, checksum, size })));
    checksums.push(checksum);
  }
  return checksums.sort();
}

const damage = (checksum: string) => writeFile(join(dir, checksum.slice(0, 2), checksum), 'fila 0');
/** Runs with nothing in memory, like the first run after a restart. */
async function run(): Promise<FileVerification> {
  const clock = { nowMs: () => nowMs };
  const verification = new FileVerification({ blobs, storage: opened.storage, log: silentLog, clock }, 1e9);
  await silentJobs().start(verification.job()).runNow();
  return verification;
}

test('a file that no client reads is found damaged, in a pass that is repeated a week later', async () => {
  const checksums = await store(60);
  expect((await run()).ageSeconds).toBe(0);
  await damage(checksums[55] ?? '');
  nowMs += 6 * dayMs;
  expect((await run()).ageSeconds).toBe(6 * 86_400);
  expect(damaged).toEqual([]);
  nowMs += dayMs;
  expect((await run()).ageSeconds).toBe(0);
  expect(damaged).toEqual([checksums[55]]);
});

test('a pass continues after a restart where it was', async () => {
  const checksums = await store(3);
  for (const checksum of checksums) await damage(checksum);
  const [, second = ''] = checksums;
  await opened.storage.write((tx) => tx.attachments.storeVerification({ afterChecksum: second }));
  await run();
  expect(damaged).toEqual(checksums.slice(2));
  expect(await opened.storage.committed.attachments.findVerification()).toEqual({
    afterChecksum: '',
    completedMs: nowMs,
  });
});

test('a pass that a wrong clock ended in the future is repeated', async () => {
  const [only = ''] = await store(1);
  await run();
  await damage(only);
  nowMs -= dayMs;
  await run();
  expect(damaged).toEqual([only]);
});

test.each(['present', 'missing'])('a %s file is read at the given rate: a stop ends the wait', async (state) => {
  const [only = ''] = await store(1);
  if (state === 'missing') await rm(join(dir, only.slice(0, 2), only));
  const clock = { nowMs: () => nowMs };
  const verification = new FileVerification({ blobs, storage: opened.storage, log: silentLog, clock }, 0.001);
  const job = silentJobs().start(verification.job());
  const running = job.runNow().catch(() => undefined);
  await expect.poll(() => job.status.isRunning).toBe(true);
  await job.stop();
  await running;
  expect(await opened.storage.committed.attachments.findVerification()).toBeUndefined();
});
