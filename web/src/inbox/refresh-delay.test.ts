import { expect, test } from 'vitest';
import { refreshDelayMs } from './refresh-delay.ts';

const now = { nowMs: 1_000_000, watches: 1, readMs: 999_000, refreshedMs: 0 };

test('the inbox is read soon after a message, and after further ones not before 20 s have passed', () => {
  expect(refreshDelayMs(now)).toBe(1_500);
  expect(refreshDelayMs({ ...now, refreshedMs: 990_000 })).toBe(10_000);
  expect(refreshDelayMs({ ...now, refreshedMs: 90_000_000 })).toBe(1_500);
});

test('for a user without watches, it is read at most every 10 minutes', () => {
  expect(refreshDelayMs({ ...now, watches: 0 })).toBeUndefined();
  expect(refreshDelayMs({ ...now, watches: 0, readMs: 400_000 })).toBe(1_500);
});
