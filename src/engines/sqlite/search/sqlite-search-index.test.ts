import { afterEach, expect, test, vi } from 'vitest';
import { Fault } from '../../../kernel/fault.js';
import type { Connection } from '../database/connection.js';
import type { Threads } from '../workers/worker-pool.js';
import { SqliteSearchIndex } from './sqlite-search-index.js';

afterEach(() => {
  vi.useRealTimers();
});

test('why the index stays behind is in the log once, although each try has another figure', async () => {
  vi.useFakeTimers();
  let tries = 0;
  const threads: Pick<Threads, 'index' | 'stop'> = {
    async index() {
      tries += 1;
      throw new Fault('full', 'search.no-room', `The disk has ${300 - tries} MB left.`);
    },
    stop: () => undefined,
  };
  const logged: unknown[] = [];
  const searchIndex = new SqliteSearchIndex(
    threads as Threads,
    {} as Connection,
    () => undefined,
    (_, error) => logged.push(error),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBeGreaterThan(10);
  expect(logged).toHaveLength(1);
  await searchIndex.close();
});
