import { expect, test } from 'vitest';
import { ReadAttempts } from './read-attempts.js';

const failures = (tried: ReadAttempts, id: number, count: number) =>
  Array.from({ length: count }, () => tried.noteFailure(id));

test('an entry is given up only when others can be read', () => {
  const tried = new ReadAttempts();
  expect(failures(tried, 1, 100)).not.toContain(true);
  tried.noteRead(2);
  expect(tried.noteFailure(1)).toBe(true);
  expect(failures(tried, 3, 100)).not.toContain(true);
});

test('an entry that fails once among others is tried again, and starts anew when it was read', () => {
  const tried = new ReadAttempts();
  tried.noteFailure(1);
  tried.noteRead(2);
  expect(failures(tried, 1, 18)).not.toContain(true);
  tried.noteRead(1);
  expect(tried.noteFailure(1)).toBe(false);
});

test('those that failed the fewest times come first, and what is not asked for is forgotten', () => {
  const tried = new ReadAttempts();
  failures(tried, 1, 2);
  failures(tried, 2, 1);
  const itself = (id: number) => id;
  expect(tried.inOrder([1, 2, 3], itself)).toEqual([3, 2, 1]);
  tried.inOrder([2], itself);
  expect(tried.inOrder([1, 2], itself)).toEqual([1, 2]);
});
