import { expect, test } from 'vitest';
import { removalByAgeJob } from './removal-by-age.js';

const never = new AbortController().signal;

test('removes older rows in batches, and none while the clock cannot be trusted', async () => {
  let ages = Array.from({ length: 25 }, (_, n) => n * 100);
  let isTrusted = false;
  const job = removalByAgeJob(
    {
      name: 'removal',
      failure: '',
      keptMs: 1_000,
      limit: 10,
      async remove(beforeMs, limit) {
        const due = ages.filter((atMs) => atMs < beforeMs).slice(0, limit);
        ages = ages.filter((atMs) => !due.includes(atMs));
        return due.length;
      },
    },
    { clock: { nowMs: () => 2_500 }, clockWatch: { mayRemoveByAge: () => isTrusted } },
  );
  expect(await job.run(never)).toBe('idle');
  expect(ages).toHaveLength(25);
  isTrusted = true;
  expect(await job.run(never)).toBe('more');
  expect(await job.run(never)).toBe('idle');
  expect(Math.min(...ages)).toBe(1_500);
});
