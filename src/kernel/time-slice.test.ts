import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TimeSlice } from './time-slice.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a slice is over after 3 ms, and other work of the event loop is done before the next one', async () => {
  const slice = new TimeSlice();
  vi.advanceTimersByTime(2);
  expect(slice.isOver).toBe(false);
  vi.advanceTimersByTime(1);
  expect(slice.isOver).toBe(true);
  const done: string[] = [];
  setImmediate(() => done.push('other work'));
  await slice.next();
  expect([slice.isOver, done]).toEqual([false, ['other work']]);
});
