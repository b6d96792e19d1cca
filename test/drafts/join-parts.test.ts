import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore } from '../../src/attachments/blob-store.port.js';
import type { DraftFile } from '../../src/drafts/draft.js';
import { reportFile } from '../../src/drafts/receive-file.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { systemClock } from '../../src/kernel/clock.js';
import type { OpenSearchableStorage } from '../contract/storage.suite.js';
import { makeTempDir } from '../fixtures/service.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const owner = { scheme: 'local', userName: 'user' };
const fileId = 'f';

let dir: string;
let opened: OpenSearchableStorage;
let blobs: BlobStore;
let draftId: string;
/** Number of files that were written. */
let writes: number;

beforeEach(async () => {
  dir = await makeTempDir();
  opened = await sqliteEngine.open();
  blobs = await openFileBlobStore({ dir });
  draftId = randomUUID();
  writes = 0;
  await opened.storage.write((tx) =>
    tx.drafts.put(owner, { id: draftId, json: Buffer.from('{}'), modifiedMs: 0, title: null }),
  );
});
afterEach(async () => {
  await opened.destroy();
  await rm(dir, { recursive: true });
});

/** Stores the parts of a file of which the first ones have arrived, as a process that ended then leaves them. */
async function storeParts(filename: string, parts: readonly Buffer[], size: number): Promise<void> {
  await opened.storage.write((tx) => tx.drafts.beginFile(owner, draftId, { id: fileId, filename, size }, 0));
  for (const content of parts) {
    const blob = await blobs.stage(Readable.from([content]), content.length);
    await blobs.commit(blob);
    await opened.storage.write((tx) => tx.drafts.addPart({ owner, draftId, fileId }, blob, 0));
    blobs.release(blob);
  }
}

/** Asks for the progress of the file, many times at the same time. */
function ask(): Promise<PromiseSettledResult<DraftFile>[]> {
  const counted = new Proxy(blobs, {
    get(target, name) {
      if (name === 'stage') writes += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const deps = {
    ...{ storage: opened.storage, blobs: counted, clock: systemClock, joins: new Map<string, Promise<DraftFile>>() },
    ...{ maxFileBytes: 1e9, maxDraftFileBytes: 1e9 },
  };
  return Promise.allSettled(Array.from({ length: 20 }, () => reportFile(deps, { owner, draftId, fileId })));
}

test('a question about a file of which a part is missing writes nothing', async () => {
  await storeParts('a.bin', [randomBytes(1_000_000)], 1_000_001);
  for (const answer of await ask())
    expect(answer).toMatchObject({ value: { received: 1_000_000, complete: undefined } });
  expect(writes).toBe(0);
});

test('parts that were not joined are joined exactly once', async () => {
  await storeParts('a.bin', [randomBytes(4), randomBytes(1_000_000)], 1_000_004);
  for (const answer of [...(await ask()), ...(await ask())]) {
    expect(answer).toMatchObject({
      value: { received: 1_000_004, complete: { contentType: 'application/octet-stream' } },
    });
  }
  expect(writes).toBe(1);
});

test('400 attachment.heic for parts that are one together, without writing them', async () => {
  const heic = Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypheic\0\0\0\0mif1heic'),
    randomBytes(1_000_000),
  ]);
  await storeParts('a.png', [heic.subarray(0, 4), heic.subarray(4)], heic.length);
  for (const answer of await ask()) expect(answer).toMatchObject({ reason: { code: 'attachment.heic' } });
  expect(writes).toBe(0);
});
