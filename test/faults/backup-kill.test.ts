import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteSnapshot } from '../../src/engines/sqlite/backup/sqlite-snapshot.js';
import { backUp, directory, embedded, readAll, restore, verifyTarget } from '../fixtures/backups.js';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { Random } from './random.js';

const rounds = Number(process.env.LOGBOOK_TEST_BACKUP_KILLS ?? '6');
const entries = 150;
const timeout = 600_000;
const seed = process.env.LOGBOOK_TEST_SEED ?? String(Date.now());
const random = new Random(seed);

let root: string;
let logbook: TestService;
const dataDir = () => join(root, 'data');
const backupTarget = () => join(root, 'backups');

beforeAll(async () => {
  root = await makeTempDir();
  logbook = await TestService.start({}, dataDir());
  for (let number = 0; number < entries; number += 1) await createWithFile(number);
});

afterAll(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

async function createWithFile(number: number): Promise<void> {
  const entry = { title: `${number}`, logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a' }] };
  const { status, text } = await logbook.sendForm('PUT', entry, [{ name: 'a', content: `content ${number}` }]);
  expect(status, text).toBe(200);
}

/** Runs a command and kills it; false when it had already ended. */
async function runAndKill(args: readonly string[], afterMs: number): Promise<boolean> {
  const command = LogbookProcess.spawn(dataDir(), { args });
  const ended = command.exit();
  await Promise.race([sleep(afterMs), ended]);
  command.signal('SIGKILL');
  return (await ended) === null;
}

/** Returns the duration of a command in milliseconds, so that kills can hit all of it. */
async function measure(args: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const command = LogbookProcess.spawn(dataDir(), { args });
  expect(await command.exit(), command.errors).toBe(0);
  return performance.now() - startedMs;
}

test(`after kill -9 during backups, every visible backup is whole, and the next one leaves nothing behind (seed ${seed})`, {
  timeout,
}, async () => {
  const durationMs = await measure(['backup', join(root, 'measured')]);
  for (let round = 0; round < rounds; round += 1) {
    await createWithFile(entries + round);
    await runAndKill(
      ['backup', backupTarget()],
      random.whole(Math.floor(durationMs / 3), Math.floor(durationMs * 1.2)),
    );
    const problems = await verifyTarget(directory(backupTarget()), dataDir()).catch(() => []);
    const other = problems.filter((line) => !/no complete backup|belong to no complete/.test(line));
    expect(other, `seed ${seed}, round ${round}`).toEqual([]);
  }
  const { manifest } = await backUp(embedded(dataDir()), directory(backupTarget()));
  expect(manifest.files).toHaveLength(entries + rounds);
  expect(await verifyTarget(directory(backupTarget()), dataDir())).toEqual([]);
  expect(await readdir(join(backupTarget(), 'unfinished'))).toEqual([]);
});

test(`after kill -9 during a restore, no service starts on it, and it can be done over (seed ${seed})`, {
  timeout,
}, async () => {
  // The audit is written a moment after what it records.
  await logbook.stop({ keepData: true });
  await backUp(embedded(dataDir()), directory(backupTarget()));
  const before = await readAll(await openSqliteSnapshot(dataDir()));
  const durationMs = await measure(['restore', backupTarget(), '--data-dir', join(root, 'measured-restore')]);
  for (let round = 0; round < rounds; round += 1) {
    const target = join(root, `restored-${round}`);
    const afterMs = random.whole(Math.floor(durationMs / 3), Math.floor(durationMs * 1.1));
    const wasKilled = await runAndKill(['restore', backupTarget(), '--data-dir', target], afterMs);
    const found = await readdir(target).catch((): string[] => []);
    const isBegun = found.includes('restore-incomplete');
    if (isBegun) await expect(TestService.start({}, target)).rejects.toThrow('was not completed');
    if (isBegun || !found.includes('logbook.sqlite')) {
      expect(wasKilled, `seed ${seed}, round ${round}`).toBe(true);
      await restore(embedded(target), directory(backupTarget()), { startOver: true });
    }
    expect(await readAll(await openSqliteSnapshot(target)), `seed ${seed}, round ${round}`).toEqual(before);
  }
});
