import { closeSync, fstatSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isJournal, withPriority } from './journal.js';

test('each line has the priority of its level in front, a stack trace too', () => {
  expect([60, 50, 40, 30, 20, 10].map((level) => withPriority(level, 'a\n'))).toEqual([
    '<2>a\n',
    '<3>a\n',
    '<4>a\n',
    '<6>a\n',
    '<7>a\n',
    '<7>a\n',
  ]);
  expect(withPriority(50, 'first\n  second')).toBe('<3>first\n<3>  second');
});

test('only the file that JOURNAL_STREAM names is the journal', () => {
  const fd = openSync('/dev/null', 'r');
  const { dev, ino } = fstatSync(fd, { bigint: true });
  expect(isJournal(fd, { JOURNAL_STREAM: `${dev}:${ino}` })).toBe(true);
  expect(isJournal(fd, { JOURNAL_STREAM: `${dev}:${ino + 1n}` })).toBe(false);
  expect(isJournal(fd, {})).toBe(false);
  closeSync(fd);
  expect(isJournal(fd, { JOURNAL_STREAM: `${dev}:${ino}` })).toBe(false);
});
