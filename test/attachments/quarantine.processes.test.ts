import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore, StagedBlob } from '../../src/attachments/blob-store.port.js';
import { quarantineJob } from '../../src/attachments/quarantine-job.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { Job } from '../../src/kernel/background-job.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const hourMs = 3_600_000;
const options = { beforeQuarantineMs: 24 * hourMs, inQuarantineMs: 30 * 24 * hourMs };

let dir: string;
let opened: OpenStorage;
let blobs: BlobStore;
let nowMs: number;
let job: Job;

beforeEach(async () => {
  dir = await makeTempDir();
  opened = await sqliteEngine.open();
  blobs = await openFileBlobStore({ dir: join(dir, 'attachments') });
  nowMs = 0;
  startJob();
});
afterEach(async () => {
  await opened.destroy();
  await rm(dir, { recursive: true });
});

/** Creates the job anew, as a start of the service does. */
function startJob(): void {
  job = quarantineJob({ blobs, storage: opened.storage, log: silentLog, monotonicMs: () => nowMs }, options);
}

/** Runs the job every 12 hours; its first run after a start only begins to observe. */
async function runFor(days: number): Promise<void> {
  for (let run = 0; run < days * 2; run += 1) {
    nowMs += 12 * hourMs;
    await job.run(new AbortController().signal);
  }
}

async function store(content: string): Promise<StagedBlob> {
  const blob = await blobs.stage(Readable.from([Buffer.from(content)]), 1_000);
  await blobs.commit(blob);
  blobs.release(blob);
  return blob;
}

const refer = ({ checksum, size }: StagedBlob) =>
  opened.storage.write((tx) =>
    tx.attachments.insert({
      ...{ id: checksum, filename: 'a', fileMetadataDescription: '', contentType: 'text/plain' },
      ...{ checksum, size },
    }),
  );

async function listAll(batches: AsyncIterable<readonly string[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}
const stored = () => listAll(blobs.list());
const quarantined = () => listAll(blobs.listQuarantined());

test('a file goes into quarantine after a day, and is removed 30 days later', async () => {
  const { checksum } = await store('unreferenced');
  await runFor(1);
  expect(await stored()).toEqual([checksum]);
  await runFor(0.5);
  expect([await stored(), await quarantined()]).toEqual([[], [checksum]]);
  await runFor(29.5);
  expect(await quarantined()).toEqual([checksum]);
  await runFor(0.5);
  expect([await stored(), await quarantined()]).toEqual([[], []]);
});

test('a referenced file stays forever', async () => {
  const blob = await store('referenced');
  await refer(blob);
  await runFor(32);
  expect([await stored(), await quarantined()]).toEqual([[blob.checksum], []]);
});

test('time during which the service did not run does not count', async () => {
  const { checksum } = await store('unreferenced');
  for (let day = 0; day < 40; day += 1) {
    nowMs += 24 * hourMs;
    startJob();
    await job.run(new AbortController().signal);
  }
  expect(await stored()).toEqual([checksum]);
});

test('a file that is referenced again leaves the quarantine, and begins from the start the next time', async () => {
  const blob = await store('again');
  await runFor(1.5);
  expect(await quarantined()).toEqual([blob.checksum]);
  await refer(blob);
  await runFor(0.5);
  expect([await stored(), await quarantined()]).toEqual([[blob.checksum], []]);
});

test('another database, in which nothing is referenced, quarantines nothing for a day and removes nothing for 31', async () => {
  const blob = await store('from another database');
  await refer(blob);
  await runFor(32);
  await opened.destroy();
  opened = await sqliteEngine.open();
  startJob();
  await runFor(1);
  expect(await stored()).toEqual([blob.checksum]);
  await runFor(30);
  expect(await quarantined()).toEqual([blob.checksum]);
  expect(String(await blobs.open(blob).then((content) => content.toArray()))).toBe('from another database');
});
