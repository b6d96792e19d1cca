import { expect, test } from 'vitest';
import { collectionsPerRest } from '../../../kernel/collect-garbage.js';
import { searchMemoryJob } from './search-memory-job.js';

/** Runs the job once after each of these numbers of searches. Returns for each whether garbage was collected. */
async function collectionsAfter(queryCounts: readonly number[]): Promise<boolean[]> {
  let collections = 0;
  const workers = { queryCount: 0, collectGarbage: async () => void collections++ };
  const job = searchMemoryJob(workers);
  const collected: boolean[] = [];
  for (const count of queryCounts) {
    const before = collections;
    workers.queryCount = count;
    await job.run(new AbortController().signal);
    collected.push(collections > before);
  }
  return collected;
}

test('garbage is collected after startup and after many searches, but never while there are searches', async () => {
  const rest = Array.from({ length: collectionsPerRest }, () => true);
  expect(await collectionsAfter([0, 0, 0, 0])).toEqual([...rest, false]);
  expect(await collectionsAfter([0, 0, 0, 100, 200, 200, 200, 200, 200])).toEqual([
    ...rest,
    false,
    false,
    ...rest,
    false,
  ]);
  // Few searches leave too little garbage.
  expect(await collectionsAfter([0, 0, 0, 3, 3, 3])).toEqual([...rest, false, false, false]);
});
