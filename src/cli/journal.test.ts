import { execFileSync, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempDir } from '../../test/fixtures/service.js';
import { isJournal, withLevels, withPriority } from './journal.js';

test('each line begins with the priority of its level, including the lines of a stack trace', () => {
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

test('a line that is logged while an earlier one is still being written is written after it', async () => {
  const dir = await makeTempDir();
  onTestFinished(() => rm(dir, { recursive: true }));
  const pipe = join(dir, 'log');
  execFileSync('mkfifo', [pipe]);
  const reader = spawn('sh', ['-c', 'exec 3< "$0"; read go; exec cat <&3', pipe], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const destination = pino.destination({
    fd: openSync(pipe, 'w'),
    sync: false,
    minLength: 4_096,
    contentMode: 'buffer',
  });
  let flushes = 0;
  const flush = destination.flush.bind(destination);
  destination.flush = () => {
    flushes += 1;
    flush();
  };
  const log = pino({ base: null }, withLevels(destination, false));
  log.warn('x'.repeat(1_000_000));
  log.info('the last line');
  // The second flush comes while the pipe is full, and does nothing.
  await expect.poll(() => flushes).toBe(2);
  const written = text(reader.stdout);
  reader.stdin.end('go\n');
  await expect.poll(() => flushes).toBeGreaterThan(2);
  destination.end();
  expect(await written).toContain('the last line');
});
