import { spawnSync } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { downgradeToVersion6 } from '../fixtures/earlier-schema.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';

/** Effects of another program, such as `sqlite3`, on the database of the running service. */

let dataDir: string;
let logbook: LogbookProcess;
beforeEach(async () => {
  dataDir = await makeTempDir();
});
afterEach(async () => {
  await logbook.stop('SIGKILL');
  await rm(dataDir, { recursive: true });
});

const file = () => join(dataDir, 'logbook.sqlite');
const inodeOf = async (path: string) => (await stat(path)).ino;

async function create(title: string): Promise<void> {
  const json = { title, logbooks: [{ name: 'operations' }] };
  expect((await call(`${logbook.base}/logs`, { method: 'PUT', json })).status).toBe(200);
}

async function titles(): Promise<string[]> {
  const { body } = await call(`${logbook.base}/logs?sort=up`);
  return body.map(({ title }: { title: string }) => title);
}

/** Makes the data directory one of an earlier version. */
async function storeEarlier(): Promise<void> {
  await (await LogbookProcess.start(dataDir)).stop();
  const database = await openDatabase(file(), 'checkpointer');
  downgradeToVersion6(database);
  database.close();
}

async function crash(): Promise<void> {
  await (await LogbookProcess.start(dataDir)).stop('SIGKILL');
}

const starts: [string, () => Promise<void>][] = [
  ['a first start', async () => undefined],
  ['a start after a crash', crash],
  ['a start that migrates', storeEarlier],
];

test.skipIf(process.platform !== 'linux').each(starts)(
  'after %s, the service holds its lock on the database: without it, a program that closes the database removes the log',
  async (_case, prepare) => {
    await prepare();
    logbook = await LogbookProcess.start(dataDir);
    await create('an entry');
    const locks = (await readFile('/proc/locks', 'utf8')).split('\n').map((line) => line.split(/\s+/));
    const held = locks.filter(([, , , , pid, place]) => pid === String(logbook.child.pid) && place !== undefined);
    const inodes = held.map(([, , , , , place]) => Number(place?.split(':').at(-1)));
    expect(inodes).toContain(await inodeOf(file()));
  },
);

const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;

describe.skipIf(!hasSqlite)('sqlite3 (needs sqlite3)', () => {
  test.each(starts)('can read and copy the database after %s: nothing acknowledged is lost', async (_case, prepare) => {
    await prepare();
    logbook = await LogbookProcess.start(dataDir);
    await create('before');
    const log = await inodeOf(`${file()}-wal`);
    for (const command of ['SELECT count(*) FROM entry', `.backup ${join(dataDir, 'copy.sqlite')}`]) {
      expect(spawnSync('sqlite3', [file(), command]).status).toBe(0);
      expect(await inodeOf(`${file()}-wal`)).toBe(log);
    }
    await create('after');
    await logbook.stop('SIGKILL');
    logbook = await LogbookProcess.start(dataDir);
    expect(await titles()).toEqual(['before', 'after']);
    expect(logbook.errors).not.toMatch(/write-ahead log of the last run is missing|database is not the one/);
  });
});
