import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTextExtraction } from '../../src/attachments/text-extraction-job.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { openSqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import type { Storage } from '../../src/engines/storage.port.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { entryDraft } from '../fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../fixtures/log.js';
import { SmallDisk } from './small-disk.js';

const megabyte = 1_048_576;

describe.skipIf(!process.env.CI && !SmallDisk.isPossible())('on a full disk (needs the right to mount a disk)', () => {
  let disk: SmallDisk;
  let opened: Awaited<ReturnType<typeof openSqliteStorage>>;
  beforeEach(async () => {
    disk = SmallDisk.mount(32 * megabyte, megabyte);
    const log = silentLog;
    opened = await openSqliteStorage({ dataDir: disk.dataDir, log, jobs: silentJobs(), integrity: silentIntegrity() });
  });
  afterEach(async () => {
    await opened.storage.close();
    disk.unmount();
  });

  test('an extracted text that cannot be stored is kept, and stored without another attempt once there is space', async () => {
    const dir = join(disk.dataDir, 'attachments');
    await mkdir(dir);
    const blobs = await openFileBlobStore({ dir });
    const store = async (content: string) => {
      const blob = await blobs.stage(Readable.from([Buffer.from(content)]), 1_000);
      await blobs.commit(blob);
      const { checksum, size } = blob;
      const attachment = {
        ...{ id: checksum, filename: 'a.txt', fileMetadataDescription: '', contentType: 'text/plain' },
        ...{ checksum, size },
      };
      await opened.storage.write(async (tx) => {
        await tx.attachments.insert(attachment);
        await tx.entries.insert(entryDraft({ attachments: [attachment] }));
      });
    };
    const outcomes: string[] = [];
    const storage: Storage = {
      ...opened.storage,
      async write(work) {
        try {
          const value = await opened.storage.write(work);
          // The first write counts the attempt; there is no space for the text.
          if (outcomes.push('stored') === 1) disk.fillUp();
          return value;
        } catch (error) {
          outcomes.push((error as { code: string }).code);
          throw error;
        }
      },
    };
    await store('patient text');
    const extraction = startTextExtraction({ blobs, storage, log: silentLog, jobs: silentJobs() });
    await expect.poll(() => outcomes.length).toBe(2);
    expect(outcomes).toEqual(['stored', 'storage.full']);
    disk.throwOffBallast();
    // Its commit begins a pass.
    await store('another');
    const { attachments } = opened.storage.committed;
    await expect.poll(async () => (await attachments.listUnextracted('', 9)).length).toBe(0);
    // The text of the first, and attempt and text of the second.
    await expect.poll(() => outcomes.slice(2)).toEqual(['stored', 'stored', 'stored']);
    const query = parseQuery({ attachmentText: 'patient' }, { nowMs: 0, zone: 'UTC' });
    expect((await opened.searchIndex.search(query)).hitCount).toBe(1);
    await extraction.stop();
  });
});
