import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortInSlices } from './sort-in-slices.js';
import { TimeSlice } from './time-slice.js';

test('sorts like toSorted, with equal items in their order, at lengths around that of a step', async () => {
  const byKey = (one: readonly number[], other: readonly number[]) => (one[0] as number) - (other[0] as number);
  const length = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 505, max: 520 }), fc.constant(5_000));
  await fc.assert(
    fc.asyncProperty(length, fc.integer({ min: 1, max: 10_000 }), fc.integer(), async (count, keys, seed) => {
      const items = Array.from({ length: count }, (_, at) => [Math.abs(Math.imul(at + seed, 0x9e3779b1)) % keys, at]);
      expect(await sortInSlices(items, byKey, new TimeSlice())).toEqual(items.toSorted(byKey));
    }),
    { numRuns: 50 },
  );
});
