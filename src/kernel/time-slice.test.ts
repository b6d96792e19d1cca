import { expect, test } from 'vitest';
import { TimeSlice } from './time-slice.js';

test('other work of the event loop is done before the next slice', async () => {
  const slice = new TimeSlice();
  expect(slice.isOver).toBe(false);
  const done: string[] = [];
  setImmediate(() => done.push('other work'));
  const startedMs = performance.now();
  while (!slice.isOver) if (performance.now() - startedMs > 10_000) throw new Error('the slice does not end');
  await slice.next();
  expect([slice.isOver, done]).toEqual([false, ['other work']]);
});
