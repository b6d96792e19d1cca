import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore } from '../../src/attachments/blob-store.port.js';
import { startTextExtraction, type TextExtractionJob } from '../../src/attachments/text-extraction-job.js';
import { textRenewalJob } from '../../src/attachments/text-renewal-job.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { parseQuery } from '../../src/search/parse-query.js';
import type { OpenAlterable } from '../contract/row-verification.suite.js';
import type { OpenSearchableStorage } from '../contract/storage.suite.js';
import { entryDraft } from '../fixtures/entries.js';
import { recordingLog, silentJobs, silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

let dir: string;
let opened: OpenSearchableStorage & OpenAlterable;
let blobs: BlobStore;
let extraction: TextExtractionJob | undefined;

beforeEach(async () => {
  dir = await makeTempDir();
  opened = await sqliteEngine.open();
  blobs = await openFileBlobStore({ dir });
});
afterEach(async () => {
  await extraction?.stop();
  await opened.destroy();
  await rm(dir, { recursive: true });
});

/** Stores an entry with a text file; returns the path of the file. */
async function store(content: string): Promise<string> {
  const blob = await blobs.stage(Readable.from([Buffer.from(content)]), 1_000);
  await blobs.commit(blob);
  blobs.release(blob);
  const { checksum, size } = blob;
  const attachment = {
    ...{ id: checksum, filename: 'a.txt', fileMetadataDescription: '', contentType: 'text/plain' },
    ...{ checksum, size },
  };
  await opened.storage.write(async (tx) => {
    await tx.attachments.insert(attachment);
    await tx.entries.insert(entryDraft({ attachments: [attachment] }));
  });
  return join(dir, checksum.slice(0, 2), checksum);
}

/** The store of the files, which counts how often one is opened. */
function countingOpens() {
  let opens = 0;
  const counting = Object.create(blobs, {
    open: {
      value: (...args: Parameters<BlobStore['open']>) => {
        opens += 1;
        return blobs.open(...args);
      },
    },
  }) as BlobStore;
  return { blobs: counting, opens: () => opens };
}

const unextracted = () => opened.storage.committed.attachments.listUnextracted('', 200);

test('a process that cannot be started spends no attempt; the file is extracted once it can be', async () => {
  await store('patient text');
  const jobs = silentJobs();
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  try {
    extraction = startTextExtraction({ blobs, storage: opened.storage, log: silentLog, jobs });
    for (let run = 1; run <= 4; run += 1) {
      const before = jobs.list()[0]?.lastDurationMs;
      // Each commit with a file begins a run.
      await store(`another ${run}`);
      await expect.poll(() => jobs.list()[0]?.lastDurationMs).not.toBe(before);
      expect(jobs.list()[0]?.lastError).toMatch(/could not be started/);
    }
    expect((await unextracted()).map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0, 0]);
  } finally {
    process.execPath = execPath;
  }
  await store('the last');
  await expect.poll(async () => (await unextracted()).length).toBe(0);
  const found = await opened.searchIndex.search(parseQuery({ attachmentText: 'patient' }, { nowMs: 0, zone: 'UTC' }));
  expect(found.hitCount).toBe(1);
});

test('a file that cannot be read spends no attempt, is counted, and is extracted once it can be read', async () => {
  const file = await store('lost for a while');
  await rename(file, join(dir, 'saved'));
  const blobsTried = countingOpens();
  extraction = startTextExtraction({ ...blobsTried, storage: opened.storage, log: silentLog, jobs: silentJobs() }, 50);
  await expect.poll(blobsTried.opens).toBeGreaterThan(3);
  expect(extraction.missingFiles()).toBe(1);
  expect((await unextracted()).map(({ attempts }) => attempts)).toEqual([0]);
  await rename(join(dir, 'saved'), file);
  await expect.poll(async () => (await unextracted()).length).toBe(0);
  await expect.poll(() => extraction?.missingFiles()).toBe(0);
});

test('files that cannot be read are reported once, and not tried again for each new file, whose text is extracted', async () => {
  for (let at = 0; at < 101; at++) await rm(await store(`lost ${at}`));
  const logged = recordingLog();
  const blobsTried = countingOpens();
  extraction = startTextExtraction({ ...blobsTried, storage: opened.storage, log: logged.log, jobs: silentJobs() });
  for (let at = 0; at < 3; at++) {
    const file = await store(`present ${at}`);
    await expect.poll(async () => (await unextracted()).map(({ checksum }) => checksum)).not.toContain(basename(file));
  }
  await expect.poll(() => extraction?.missingFiles()).toBe(101);
  expect(await unextracted()).toHaveLength(101);
  expect(blobsTried.opens()).toBe(101 + 3);
  expect(logged.messages().filter((message) => message.includes('not readable'))).toHaveLength(1);
});

test('files that are marked as unreadable are counted', async () => {
  const file = await store('ended every attempt');
  await opened.storage.write(async (tx) => {
    for (let attempt = 0; attempt < 3; attempt++) await tx.attachments.recordAttempt(basename(file));
  });
  await store('readable');
  extraction = startTextExtraction({ blobs, storage: opened.storage, log: silentLog, jobs: silentJobs() });
  await expect.poll(async () => (await unextracted()).length).toBe(0);
  await expect.poll(() => extraction?.unreadableFiles()).toBe(1);
});

test('a text that was found damaged is extracted again from its file, and searches find it', async () => {
  await store('patient text');
  extraction = startTextExtraction({ blobs, storage: opened.storage, log: silentLog, jobs: silentJobs() });
  const query = parseQuery({ attachmentText: 'patient' }, { nowMs: 0, zone: 'UTC' });
  const found = async () => (await opened.searchIndex.search(query)).hitCount;
  await expect.poll(found).toBe(1);
  await opened.runSql("UPDATE file_text SET text = replace(text, 'patient', 'patienu')");
  await opened.storage.rowVerification?.committed.rowVerification.verify('texts', undefined);
  expect(opened.integrity.subjects('extracted-text')).toHaveLength(1);
  const renewal = silentJobs().start(textRenewalJob({ storage: opened.storage, integrity: opened.integrity }));
  await renewal.runNow();
  const subjects = async () => {
    await renewal.runNow();
    return opened.integrity.subjects('extracted-text');
  };
  await expect.poll(subjects).toEqual([]);
  await renewal.stop();
  expect(await found()).toBe(1);
});
