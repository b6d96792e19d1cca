import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OpenResponses } from './open-responses.js';

test('a client that has reached the limit for one client may open another response when one ends', () => {
  const responses = new OpenResponses({ ofOneClient: 2, ofAllClients: 100 });
  const end = responses.open('a');
  expect(responses.open('a')).toBeDefined();
  expect(responses.open('a')).toBeUndefined();
  expect(responses.open('b')).toBeDefined();
  end?.();
  expect(responses.open('a')).toBeDefined();
});

test('when all places are taken, a client with fewer than an equal share may open one, and the others may not', () => {
  const responses = new OpenResponses({ ofOneClient: 3, ofAllClients: 6 });
  for (const client of ['a', 'a', 'a', 'b', 'b', 'b']) expect(responses.open(client)).toBeDefined();
  expect(responses.open('a')).toBeUndefined();
  expect(responses.open('c')).toBeDefined();
  expect(responses.open('c')).toBeDefined();
  expect(responses.open('c')).toBeUndefined();
});

test('whatever is opened and ended, a client without an open response may open one, and all together are bounded', () => {
  const client = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  fc.assert(
    fc.property(fc.array(fc.tuple(client, fc.boolean()), { maxLength: 200 }), (steps) => {
      const responses = new OpenResponses({ ofOneClient: 4, ofAllClients: 8 });
      const open = new Map<string, (() => void)[]>();
      for (const [name, isEnd] of steps) {
        const ends = open.get(name) ?? [];
        open.set(name, ends);
        if (isEnd) ends.pop()?.();
        else {
          const end = responses.open(name);
          if (ends.length === 0) expect(end).toBeDefined();
          if (end) ends.push(end);
        }
        expect(ends.length).toBeLessThanOrEqual(4);
        // Each of the five clients may have one response in addition to the limit for all.
        expect([...open.values()].flat().length).toBeLessThanOrEqual(8 + 5);
      }
    }),
  );
});

test('downloads have a limit of their own: a client may have as many as are left for the others', () => {
  const responses = new OpenResponses({ ofOneClient: 20, ofAllClients: 200, downloads: 16 });
  const open = (client: string) => responses.open(client, { isDownload: true });
  const openAll = (client: string) => {
    let count = 0;
    while (open(client)) count += 1;
    return count;
  };
  const end = open('a');
  expect([1 + openAll('a'), openAll('b'), openAll('c'), openAll('d')]).toEqual([8, 4, 2, 1]);
  expect(responses.open('a')).toBeDefined();
  end?.();
  expect([openAll('e'), openAll('f'), openAll('g')]).toEqual([1, 1, 0]);
});
