import { beforeEach, expect, test } from 'vitest';
import { UnsentBytes } from './unsent-bytes.js';

let backlog: UnsentBytes;
let cut: string[];
beforeEach(() => {
  backlog = new UnsentBytes(100);
  cut = [];
});
const hold = (name: string, ...pieces: Buffer[]) => backlog.hold(pieces, () => cut.push(name));
const bytes = (length: number) => Buffer.alloc(length);

test('who has waited longest is cut off, and no more than needed', () => {
  hold('first', bytes(40));
  hold('second', bytes(40));
  hold('third', bytes(50));
  expect(cut).toEqual(['first']);
  hold('fourth', bytes(90));
  expect(cut).toEqual(['first', 'second', 'third']);
});

test('what many wait for is counted once, until the last has taken it', () => {
  const shared = bytes(60);
  const release = ['a', 'b', 'c'].map((name) => hold(name, bytes(1), shared));
  expect(cut).toEqual([]);
  for (const one of release.slice(0, 2)) one();
  hold('d', bytes(40));
  expect(cut).toEqual(['c']);
});

test('what was taken is not held, however often that is said, and nobody is cut off for it', () => {
  const release = hold('first', bytes(60));
  release();
  release();
  hold('second', bytes(60));
  hold('third', bytes(60));
  expect(cut).toEqual(['second']);
});

test('a client alone may wait for more than that', () => {
  hold('first', bytes(1_000));
  expect(cut).toEqual([]);
});
