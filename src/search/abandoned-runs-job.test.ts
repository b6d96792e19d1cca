import { expect, test } from 'vitest';
import { systemClock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { abandonedRunsJob } from './abandoned-runs-job.js';
import type { SearchIndex } from './search-index.port.js';

/** Runs the job with an index that answers its search with a fault. */
function runWith(code: string): Promise<'more' | 'idle'> {
  const searchIndex = {
    search: () => Promise.reject(new Fault('unavailable', code, 'The index cannot be searched.')),
  } as Partial<SearchIndex> as SearchIndex;
  const job = abandonedRunsJob({ storage: undefined as never, searchIndex, clock: systemClock, timeoutMs: 1_000 });
  return job.run(new AbortController().signal);
}

test('the job waits while the search index is being built, and fails with any other fault', async () => {
  expect(await runWith('search.index-building')).toBe('idle');
  await expect(runWith('search.unavailable')).rejects.toMatchObject({ code: 'search.unavailable' });
});
