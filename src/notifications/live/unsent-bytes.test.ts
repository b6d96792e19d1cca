import { beforeEach, expect, test } from 'vitest';
import { UnsentBytes } from './unsent-bytes.js';

let unsent: UnsentBytes;
let terminated: string[];
beforeEach(() => {
  unsent = new UnsentBytes(100);
  terminated = [];
});
const hold = (name: string, ...pieces: Buffer[]) => unsent.hold(pieces, () => terminated.push(name));
const bytes = (length: number) => Buffer.alloc(length);

test('the clients that have waited longest are disconnected, and no more than necessary', () => {
  hold('first', bytes(40));
  hold('second', bytes(40));
  hold('third', bytes(50));
  expect(terminated).toEqual(['first']);
  hold('fourth', bytes(90));
  expect(terminated).toEqual(['first', 'second', 'third']);
});

test('a shared piece is counted once, until its last client has read it', () => {
  const shared = bytes(60);
  const release = ['a', 'b', 'c'].map((name) => hold(name, bytes(1), shared));
  expect(terminated).toEqual([]);
  for (const one of release.slice(0, 2)) one();
  hold('d', bytes(40));
  expect(terminated).toEqual(['c']);
});

test('pieces that were read no longer count, however often they are released, and disconnect no client', () => {
  const release = hold('first', bytes(60));
  release();
  release();
  hold('second', bytes(60));
  hold('third', bytes(60));
  expect(terminated).toEqual(['second']);
});

test('a single client may exceed the limit', () => {
  hold('first', bytes(1_000));
  expect(terminated).toEqual([]);
});
