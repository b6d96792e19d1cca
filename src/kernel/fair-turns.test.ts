import { afterEach, expect, test, vi } from 'vitest';
import { FairTurns } from './fair-turns.js';

afterEach(() => {
  vi.useRealTimers();
});

/** Asks for turns, named by client and number, and records the order in which they are given. */
function turnsOf(restOfA = 0) {
  const turns = new FairTurns((client) => (client === 'a' ? restOfA : 0));
  const given: string[] = [];
  const ask = (...names: string[]) => {
    for (const name of names) void turns.next(name.charAt(0)).then(() => given.push(name));
  };
  return { given, ask };
}

const rounds = async (count: number) => {
  for (let round = 0; round < count; round++) await new Promise(setImmediate);
};

test('one turn is given in each round of the event loop, and clients alternate', async () => {
  const { given, ask } = turnsOf();
  ask('a1', 'a2', 'a3', 'b1');
  await rounds(1);
  expect(given).toEqual(['a1']);
  await rounds(1);
  expect(given).toEqual(['a1', 'b1']);
  await rounds(4);
  expect(given).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('a client that rests has no turn, and others have theirs in the meantime', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { given, ask } = turnsOf(50);
  ask('a1');
  await rounds(3);
  ask('a2', 'b1', 'b2');
  await rounds(5);
  expect(given).toEqual(['a1', 'b1', 'b2']);
  vi.advanceTimersByTime(49);
  await rounds(3);
  expect(given).toHaveLength(3);
  vi.advanceTimersByTime(1);
  await rounds(2);
  expect(given).toEqual(['a1', 'b1', 'b2', 'a2']);
});
