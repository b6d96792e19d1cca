import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketsOf, splitWindow } from './event-buckets.js';

test('an instant is covered by the buckets and edges of a window exactly when it is in the window', () => {
  // Some windows are longer than all existing buckets, so that only those are considered.
  const instant = fc.oneof(
    fc.integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 }),
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
  );
  fc.assert(
    fc.property(instant, instant, fc.array(instant), (one, other, instants) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)];
      const known = () => [
        ...new Set(
          instants
            .concat(start, end)
            .flatMap((at) => [at - 1, at, at + 1])
            .flatMap(bucketsOf),
        ),
      ];
      const { buckets, edges } = splitWindow(start, end, known);
      for (const at of [start - 1, start, start + 1, end - 1, end, end + 1, ...instants]) {
        const covered =
          bucketsOf(at).some((bucket) => buckets.includes(bucket)) ||
          edges.some(([first, last]) => at >= first && at <= last);
        expect({ at, covered }).toEqual({ at, covered: at >= start && at <= end });
      }
      expect(buckets.length).toBeLessThan(3_000);
    }),
  );
});

test('a window that ends before it starts is empty', () => {
  expect(splitWindow(5, -1, () => [])).toEqual({ buckets: [], edges: [[5, -1]] });
});
