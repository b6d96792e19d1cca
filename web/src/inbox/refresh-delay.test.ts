import { expect, test } from 'vitest';
import { mayBeInInbox, refreshDelayMs } from './refresh-delay.ts';

const now = { nowMs: 1_000_000, refreshedMs: 0, pauseMs: 20_000 };

test('counts are read soon after a message, and after further ones not before the pause is over', () => {
  expect(refreshDelayMs(now)).toBe(1_500);
  expect(refreshDelayMs({ ...now, refreshedMs: 990_000 })).toBe(10_000);
  expect(refreshDelayMs({ ...now, refreshedMs: 90_000_000 })).toBe(1_500);
});

test('for a user without watches, the inbox is read at most every 10 minutes', () => {
  const inbox = { nowMs: 1_000_000, watches: 0, readMs: 999_000 };
  expect(mayBeInInbox(inbox)).toBe(false);
  expect(mayBeInInbox({ ...inbox, readMs: 400_000 })).toBe(true);
  expect(mayBeInInbox({ ...inbox, watches: 1 })).toBe(true);
});
