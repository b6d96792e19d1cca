import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statfsSync, watch, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { readUnchanged } from '../../src/engines/sqlite/database/read-unchanged.js';
import { newestSchema, readSchema } from '../../src/engines/sqlite/database/schema-version.js';
import { productDir } from '../../src/kernel/product.js';
import { downgradeToVersion6 } from '../fixtures/earlier-schema.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { call, copyDataDir, makeTempDir } from '../fixtures/service.js';
import { Random } from './random.js';
import { SmallDisk } from './small-disk.js';

/** Handling of the data of an earlier version, and of a later one. */

let root: string;
let running: LogbookProcess | undefined;
beforeEach(async () => {
  root = await makeTempDir();
});
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await rm(root, { recursive: true, force: true });
});

/** The commands by which an operator goes back, as the document has them. */
const [, wayBack = ''] =
  /## Going back[\s\S]*?```sh\n([\s\S]*?)```/.exec(
    readFileSync(join(productDir, 'docs', 'operator', 'upgrade.md'), 'utf8'),
  ) ?? [];
const copyName = 'logbook-schema-6.sqlite';
const title = 'from before';

async function start(dataDir: string): Promise<LogbookProcess> {
  running = await LogbookProcess.start(dataDir);
  return running;
}

/** A data directory of an earlier version with one entry and about this many bytes. */
async function createEarlier(dataDir: string, bytes = 0): Promise<void> {
  const logbook = await start(dataDir);
  await create(logbook, title);
  await logbook.stop();
  const database = await openDatabase(join(dataDir, 'logbook.sqlite'), 'checkpointer');
  downgradeToVersion6(database);
  if (bytes > 0) {
    database.exec('CREATE TABLE padding (content BLOB)');
    database.run('INSERT INTO padding (content) VALUES (zeroblob(?))', bytes);
  }
  // A closed connection leaves its log until its statements are garbage-collected.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

async function create(logbook: LogbookProcess, of: string): Promise<number> {
  const body = JSON.stringify({ title: of, logbooks: [{ name: 'operations' }] });
  const headers = { 'content-type': 'application/json' };
  const answer = await call(`${logbook.base}/logs`, { method: 'PUT', body, headers });
  expect(answer.status).toBe(200);
  return answer.body.id;
}

const titleOf = async (logbook: LogbookProcess, id: number) => (await call(`${logbook.base}/logs/${id}`)).body.title;
const schemaOf = (file: string) => readUnchanged(file, readSchema);

test('kill -9 at any moment of a start that migrates: the next one completes it, and the copy is whole', async () => {
  const seed = process.env.LOGBOOK_TEST_SEED ?? String(Date.now());
  const random = new Random(seed);
  const original = join(root, 'original');
  await createEarlier(original, 30_000_000);
  for (let round = 1; round <= 4; round++) {
    const dataDir = join(root, `round-${round}`);
    await copyDataDir(original, dataDir);
    const kills = [random.magnitude(1, 40), random.magnitude(1, 40)];
    const place = `seed ${seed}, round ${round}: killed after ${kills} changes of files`;
    for (const changes of kills) await startAndKill(dataDir, changes);
    const logbook = await start(dataDir);
    expect(await titleOf(logbook, 1), place).toBe(title);
    expect(await logbook.stop(), place).toBe(0);
    const copies = (await readdir(dataDir)).filter((name) => name.includes('-schema-'));
    expect(copies, place).toEqual([copyName]);
    const copy = join(dataDir, copyName);
    expect([await schemaOf(copy), (await stat(copy)).size > 30_000_000], place).toEqual([6, true]);
    const problems = await readUnchanged(copy, (db) => db.get('PRAGMA quick_check'));
    expect(problems, place).toEqual({ quick_check: 'ok' });
    await rm(dataDir, { recursive: true });
  }
});

/** Starts the program and kills it after that many changes of files, or when it is ready. */
async function startAndKill(dataDir: string, changes: number): Promise<void> {
  const watcher = watch(dataDir);
  const logbook = LogbookProcess.spawn(dataDir);
  const changed = async () => {
    for (let seen = 0; seen < changes; seen++) await once(watcher, 'change');
  };
  const ready = logbook.ready();
  try {
    await Promise.race([changed(), ready]);
  } finally {
    await logbook.stop('SIGKILL');
    watcher.close();
    await ready.catch(() => undefined);
  }
}

test('a downgrade is refused, and the message leads back to the data from before the upgrade', async () => {
  const dataDir = join(root, 'data');
  const path = (name: string) => join(dataDir, name);
  await createEarlier(dataDir);
  const upgraded = await start(dataDir);
  const later = await create(upgraded, 'since the upgrade');
  await upgraded.stop();
  // This version of the program is then older than the data, and newer than the copy.
  const database = await openDatabase(path('logbook.sqlite'), 'checkpointer');
  database.exec(`PRAGMA user_version = ${newestSchema + 1}`);
  database.close();
  const refused = LogbookProcess.spawn(dataDir);
  expect(await refused.exit()).toBe(1);
  expect(refused.errors).toContain('was written by a newer version of this program');
  const [, copy = ''] =
    /restore the copy that was kept before the migration, (\S+) \(schema 6, /.exec(refused.errors) ?? [];
  expect(refused.errors).toMatch(
    /move logbook\.sqlite, logbook\.sqlite-wal and logbook\.sqlite-shm to another directory/,
  );
  expect(copy).toBe(path(copyName));
  execFileSync('sh', ['-ec', wayBack.replaceAll('/var/lib/logbook', dataDir).replaceAll('-schema-11', '-schema-6')]);
  const back = await start(dataDir);
  expect(await titleOf(back, 1)).toBe(title);
  expect((await call(`${back.base}/logs/${later}`)).status).toBe(404);
  expect(await create(back, 'again')).toBeGreaterThan(later);
});

test('a backup and a verification ignore the copy', async () => {
  const dataDir = join(root, 'data');
  await createEarlier(dataDir);
  await (await start(dataDir)).stop();
  expect(await readdir(dataDir)).toContain(copyName);
  const backups = join(root, 'backups');
  expect(await runCommand(['backup', backups, '--data-dir', dataDir])).toMatchObject({ code: 0 });
  expect((await readdir(backups, { recursive: true })).join()).not.toContain('schema');
  expect(await runCommand(['verify', '--data-dir', dataDir])).toMatchObject({ code: 0 });
});

describe.skipIf(!process.env.CI && !SmallDisk.isPossible())('on a disk without space for the copy', () => {
  test('nothing is changed, and the message says how to continue', async () => {
    const disk = SmallDisk.mount(50_000_000, 0);
    try {
      await createEarlier(disk.dataDir, 20_000_000);
      const before = await listStored(disk.dataDir);
      const refused = LogbookProcess.spawn(disk.dataDir);
      expect(await refused.exit()).toBe(1);
      expect(refused.errors).toMatch(
        /schema 6 and must be migrated to \d+\. It is copied first, which needs \d+ MB, and the disk has \d+ MB left\. Nothing was changed\./,
      );
      expect(await listStored(disk.dataDir)).toEqual(before);
      expect(await schemaOf(join(disk.dataDir, 'logbook.sqlite'))).toBe(6);
      const [, flag = ''] = /start once with (--migration-copy false)/.exec(refused.errors) ?? [];
      const { bavail, bsize } = statfsSync(disk.dataDir);
      const filler = join(disk.dataDir, 'attachments.filler');
      writeFileSync(filler, Buffer.alloc(bavail * bsize - 500_000));
      const full = LogbookProcess.spawn(disk.dataDir, { args: ['serve', ...flag.split(' ')] });
      expect(await full.exit()).toBe(1);
      expect(full.errors).toMatch(
        /schema 6 and must be migrated to \d+, which needs \d+ MB, and the disk has \d MB left\. Nothing was changed\. Free some space\./,
      );
      rmSync(filler);
      expect(await listStored(disk.dataDir)).toEqual(before);
      running = await LogbookProcess.start(disk.dataDir, { args: ['serve', ...flag.split(' ')] });
      expect(await titleOf(running, 1)).toBe(title);
      expect(running.errors).toContain('the database is migrated without a copy');
    } finally {
      await running?.stop('SIGKILL');
      running = undefined;
      disk.unmount();
    }
  });
});

/** The files of a data directory, without the logs of databases, which vanish when the last connection is closed. */
async function listStored(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => !/-(wal|shm)$/.test(name)).toSorted();
}
