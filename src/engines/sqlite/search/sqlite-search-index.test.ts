import { afterEach, expect, test, vi } from 'vitest';
import { recordingLog } from '../../../../test/fixtures/log.js';
import { Fault } from '../../../kernel/fault.js';
import { Integrity } from '../../../kernel/integrity.js';
import { JobRegistry } from '../../../kernel/job-registry.js';
import type { Connection } from '../database/connection.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { IndexFiles } from './index/index-files.js';
import { SqliteSearchIndex } from './sqlite-search-index.js';

afterEach(() => {
  vi.useRealTimers();
});

test('a repeated indexing failure is logged once, although its message varies', async () => {
  vi.useFakeTimers();
  let tries = 0;
  const workers: Pick<WorkerPool, 'index' | 'stop'> = {
    async index() {
      tries += 1;
      throw new Fault('full', 'search.disk-full', `The disk has ${300 - tries} MB left.`);
    },
    stop: () => undefined,
  };
  const logged = recordingLog();
  const searchIndex = new SqliteSearchIndex(
    workers as WorkerPool,
    {} as Connection,
    { file: 'search.sqlite' } as IndexFiles,
    new JobRegistry({ log: logged.log }),
    logged.log,
    new Integrity(logged.log),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBeGreaterThan(10);
  expect(logged.messages()).toEqual(['search indexing failed; will retry']);
  await searchIndex.close();
});
