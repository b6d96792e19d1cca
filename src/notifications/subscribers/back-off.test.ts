import { expect, test } from 'vitest';
import { backOffMs } from './back-off.js';

test('retry delays double up to the maximum, and up to half of each is random', () => {
  const policy = { initialRetryDelayMs: 1_000, maxRetryDelayMs: 600_000 };
  const longest = [1, 2, 3, 10, 11, 1_000].map((attempt) => backOffMs(attempt, policy, () => 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 512_000, 600_000, 600_000]);
  expect(backOffMs(2, policy, () => 0)).toBe(1_000);
});
