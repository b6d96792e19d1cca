import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CleanupStack } from '../../src/app/cleanup-stack.js';
import { openContents } from '../../src/app/open-contents.js';
import { silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';

test('a command that opens the contents starts no search threads, which would compete with it for the cores', async () => {
  const dir = await makeTempDir();
  let threads = 0;
  const count = () => (threads += 1);
  process.on('worker', count);
  const cleanup = new CleanupStack();
  try {
    const common = { kind: 'embedded', dataDir: dir, migrationCopy: true, searchThreads: 3 } as const;
    const options = { ...common, blobs: { kind: 'files' }, index: { kind: 'embedded' } } as const;
    await openContents(options, silentLog, cleanup);
    expect(threads).toBe(0);
  } finally {
    process.off('worker', count);
    await cleanup.close();
    await rm(dir, { recursive: true });
  }
});
