import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentIntegrity, silentJobs, silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import { openSqliteStorage } from '../sqlite-storage.js';
import { WorkerPool } from './worker-pool.js';

test('startup waits for one search thread; the others start without a search, and closing waits for them', async () => {
  const dataDir = await makeTempDir();
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const options = { dataDir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity(), searchThreads: 1 };
  const { storage, searchIndex } = await openSqliteStorage(options);
  await searchIndex.waitUntilIndexed();
  await storage.close();
  let threads = 0;
  const count = () => (threads += 1);
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  const files = { file: join(dataDir, 'logbook.sqlite'), indexFile: join(dataDir, 'search.sqlite') };
  const pool = new WorkerPool(files, { search: 3 }, silentLog);
  await pool.warmedUp;
  expect(threads).toBe(1);
  await expect.poll(() => threads).toBe(3);
  await pool.close();
});
