import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  and,
  andNot,
  bitmapBytes,
  type Container,
  ContainerUnion,
  chunkSize,
  count,
  decode,
  encode,
  filter,
  has,
  lowsOf,
  or,
  rangeOf,
  toContainer,
} from './containers.js';

/** Sizes around the threshold between array and bitmap; runs cross the word boundaries of a bitmap. */
const lows = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 0, max: chunkSize - 1 }), { maxLength: 60 }),
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: chunkSize - 1 }),
        fc.oneof(fc.nat(40), fc.integer({ min: 4_080, max: 4_110 })),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([single, runs]) => {
    const all = new Set(single);
    for (const [start, length] of runs) {
      for (let at = start; at < Math.min(start + length, chunkSize); at++) all.add(at);
    }
    return [...all].sort((one, other) => one - other);
  });

const listOf = (container: Container) => [...lowsOf(container)];

describe('containers', () => {
  test('are sets of numbers below 65,536', () => {
    fc.assert(
      fc.property(lows, lows, lows, (first, second, third) => {
        const [one, other, more] = [first, second, third].map(toContainer) as [Container, Container, Container];
        const inOther = new Set(second);
        expect(listOf(one)).toEqual(first);
        expect(count(one)).toBe(first.length);
        expect(listOf(and(one, other))).toEqual(first.filter((low) => inOther.has(low)));
        expect(listOf(andNot(one, other))).toEqual(first.filter((low) => !inOther.has(low)));
        expect(listOf(or([one, other, more]))).toEqual(
          [...new Set([...first, ...second, ...third])].sort((a, b) => a - b),
        );
        expect(listOf(filter(one, (low) => low % 3 === 0))).toEqual(first.filter((low) => low % 3 === 0));
        for (const low of [0, 31, 32, chunkSize - 1, ...first.slice(0, 5)]) {
          expect(has(one, low)).toBe(first.includes(low));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('are encoded in at most 8 KiB and decoded unchanged', () => {
    fc.assert(
      fc.property(lows, lows, (first, second) => {
        const container = or([toContainer(first), toContainer(second)]);
        const bytes = encode(container);
        expect(bytes.length).toBeLessThanOrEqual(8_192);
        expect(listOf(decode(bytes))).toEqual(listOf(container));
        // Decoding works at any alignment in memory.
        const moved = new Uint8Array(bytes.length + 1);
        moved.set(bytes, 1);
        expect(listOf(decode(moved.subarray(1)))).toEqual(listOf(container));
      }),
    );
  });

  test('of a range contain both ends', () => {
    const bound = fc.integer({ min: 0, max: chunkSize - 1 });
    fc.assert(
      fc.property(bound, bound, (first, last) => {
        const range = rangeOf(first, last);
        expect(count(range)).toBe(Math.max(0, last - first + 1));
        expect(has(range, first)).toBe(first <= last);
        expect(has(range, last)).toBe(first <= last);
        if (first > 0) expect(has(range, first - 1)).toBe(false);
        if (last < chunkSize - 1) expect(has(range, last + 1)).toBe(false);
      }),
    );
  });
});

test('a union of stored containers has the entries of all of them, with the arrays concatenated', () => {
  fc.assert(
    fc.property(fc.array(lows, { maxLength: 6 }), (lists) => {
      const union = new ContainerUnion();
      const stored = lists.map((list) => encode(toContainer(list)));
      for (const bytes of stored) if (bytes.byteLength === bitmapBytes) union.addBitmap(bytes);
      union.addArrays(Buffer.concat(stored.filter((bytes) => bytes.byteLength < bitmapBytes)));
      const all = [...new Set(lists.flat())].sort((one, other) => one - other);
      expect(listOf(union.toContainer())).toEqual(all);
      expect(encode(union.toContainer())).toEqual(encode(toContainer(all)));
    }),
  );
});
