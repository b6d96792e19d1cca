import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentCache } from './document-cache.js';

const document = (id: number, version: number, length: number) =>
  Uint8Array.from({ length }, (_, at) => (id * 31 + version * 7 + at) % 256);

const isSame = (one: Uint8Array | undefined, other: Uint8Array | undefined) =>
  one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;

test('a kept document is the last one that was stored for its entry, whatever else was stored or removed', () => {
  const step = fc.record({
    id: fc.nat(60),
    length: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 60, max: 120 })),
    isRemoval: fc.constantFrom(false, false, false, true),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 200 }), (steps) => {
      const cache = new DocumentCache(800);
      const last = new Map<number, Uint8Array>();
      for (const [version, { id, length, isRemoval }] of steps.entries()) {
        if (isRemoval) {
          cache.delete(id);
          last.delete(id);
        } else {
          const one = document(id, version, length);
          cache.set(id, one);
          last.set(id, one);
          if (length <= 100) expect(isSame(cache.get(id), one)).toBe(true);
        }
        for (let other = 0; other <= 60; other++) {
          const kept = cache.get(other);
          if (kept && !isSame(kept, last.get(other))) expect(kept).toEqual(last.get(other));
        }
      }
    }),
  );
});

test('the newest documents are kept, as many as there is room for', () => {
  const cache = new DocumentCache(1_000);
  for (let id = 0; id < 100; id++) cache.set(id, document(id, 0, 100));
  const kept = Array.from({ length: 100 }, (_, id) => id).filter((id) => cache.get(id));
  expect(kept).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
});

test('a document that would fill much of the cache is not kept', () => {
  const cache = new DocumentCache(800);
  cache.set(1, document(1, 0, 50));
  cache.set(2, document(2, 0, 101));
  cache.set(1, document(1, 1, 101));
  expect([cache.get(1), cache.get(2)]).toEqual([undefined, undefined]);
});

test('a cleared cache is empty', () => {
  const cache = new DocumentCache(800);
  cache.set(1, document(1, 0, 50));
  cache.clear();
  expect(cache.get(1)).toBeUndefined();
});

test('a document is kept from its second offer on, unless very many others were offered in between', () => {
  const cache = new DocumentCache(1_000_000);
  const offer = (id: number) => {
    cache.offer(id, document(id, 0, 50));
    return cache.get(id) !== undefined;
  };
  expect([offer(1), offer(2), offer(1)]).toEqual([false, false, true]);
  expect(isSame(cache.get(1), document(1, 0, 50))).toBe(true);
  for (let id = 3; id < 10_000; id++) expect(offer(id)).toBe(false);
  expect([offer(2), offer(2)]).toEqual([false, true]);
});
