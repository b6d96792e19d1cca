import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketsOf, splitWindow } from './event-times.js';

test('an instant lies in the stretches and edges of a window exactly when it lies in the window', () => {
  const instant = fc.integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(instant, instant, fc.array(instant), (one, other, instants) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)];
      const { buckets, edges } = splitWindow(start, end);
      for (const at of [start - 1, start, start + 1, end - 1, end, end + 1, ...instants]) {
        const covered =
          bucketsOf(at).some((bucket) => buckets.includes(bucket)) ||
          edges.some(([first, last]) => at >= first && at <= last);
        expect({ at, covered }).toEqual({ at, covered: at >= start && at <= end });
      }
      expect(buckets.length).toBeLessThan(1_000);
    }),
  );
});

test('a window that ends before it starts has nothing', () => {
  expect(splitWindow(5, -1)).toEqual({ buckets: [], edges: [[5, -1]] });
});
