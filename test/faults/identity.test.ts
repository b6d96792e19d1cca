import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CleanupStack } from '../../src/app/cleanup-stack.js';
import { lockStorage, openStorage } from '../../src/app/open-storage.js';
import { silentIntegrity, silentJobs, silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';
import { SmallDisk } from './small-disk.js';

/** Opens and closes the storage of a data directory, as a start and a stop of the service do. */
async function openAndClose(dataDir: string): Promise<void> {
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const options = { kind: 'embedded', dataDir } as const;
    const lock = await lockStorage(options, cleanup);
    const deps = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
    await openStorage(
      { ...options, migrationCopy: true, searchThreads: 1, blobs: { kind: 'files' }, index: { kind: 'embedded' } },
      lock,
      deps,
      cleanup,
    );
  });
  await cleanup.close();
}

describe.skipIf(!process.env.CI && !SmallDisk.isPossible())('on a full disk (needs the right to mount a disk)', () => {
  let earlier: string;
  beforeAll(async () => {
    earlier = await makeTempDir();
    await openAndClose(earlier);
    // An earlier version of the program recorded nothing.
    for (const name of ['lock.sqlite', 'attachments/store-id', 'reserved-space']) {
      await rm(join(earlier, name), { force: true });
    }
  });
  afterAll(() => rm(earlier, { recursive: true }));

  /** Starts twice: with this much free space, and with plenty. Returns whether the first start succeeded. */
  async function startTwice(freePages: number): Promise<boolean> {
    // A disk of its own: a closed database may hold space until the garbage collector frees its statements.
    const disk = SmallDisk.mount(4_194_304, 0);
    try {
      await cp(earlier, disk.dataDir, { recursive: true, filter: (file) => !/-(wal|shm)$/.test(file) });
      disk.fillUpTo(freePages);
      const first = await openAndClose(disk.dataDir).then(
        () => true,
        () => false,
      );
      disk.throwOffBallast();
      await expect(openAndClose(disk.dataDir), `${freePages} free pages`).resolves.toBeUndefined();
      return first;
    } finally {
      disk.unmount();
    }
  }

  test('a start that can record only a part of the identity, whichever it is, is followed by one with space', async () => {
    const outcomes: boolean[] = [];
    for (let freePages = 8; freePages <= 32; freePages++) outcomes.push(await startTwice(freePages));
    expect(new Set(outcomes)).toEqual(new Set([false, true]));
  });
});
