import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';

/** Fate of writes while the database is moved or replaced under the running service. */

let dataDir: string;
let logbook: LogbookProcess;
beforeEach(async () => {
  dataDir = await makeTempDir();
  logbook = await LogbookProcess.start(dataDir);
});
afterEach(async () => {
  await logbook.stop('SIGKILL');
  await rm(dataDir, { recursive: true });
});

const path = (name: string) => join(dataDir, name);
const create = (title: string) =>
  call(`${logbook.base}/logs`, { method: 'PUT', json: { title, logbooks: [{ name: 'operations' }] } });

async function titles(): Promise<string[]> {
  const { body } = await call(`${logbook.base}/logs?sort=up`);
  return body.map(({ title }: { title: string }) => title);
}

const moveAway = (name: string) => rename(path(name), path('moved'));

test.each<[string, string, (() => Promise<void>) | undefined]>([
  ['moved away', 'logbook.sqlite', undefined],
  ['replaced by a copy', 'logbook.sqlite', () => cp(path('moved'), path('logbook.sqlite'))],
  ['without its log', 'logbook.sqlite-wal', undefined],
])(
  '503 storage.unavailable while the database is %s: nothing acknowledged is lost, and writes work again once it is back',
  async (_case, name, replace) => {
    expect((await create('before')).status).toBe(200);
    await moveAway(name);
    await replace?.();
    for (const title of ['refused', 'refused again']) {
      expect(await create(title)).toMatchObject({ status: 503, body: { code: 'storage.unavailable' } });
    }
    expect((await call(`${logbook.origin}/readyz`)).status).toBe(503);
    await expect
      .poll(() => logbook.errors)
      .toMatch(new RegExp(`"file":"${name}","advice":"move the original file back`));
    if (name === 'logbook.sqlite' && !replace) expect(existsSync(path(name))).toBe(false);
    expect(logbook.errors.split('database file was moved or replaced').length - 1).toBe(1);
    await rename(path('moved'), path(name));
    expect((await create('after')).status).toBe(200);
    await expect.poll(async () => (await call(`${logbook.origin}/readyz`)).status).toBe(200);
    await logbook.stop('SIGKILL');
    logbook = await LogbookProcess.start(dataDir);
    expect(await titles()).toEqual(['before', 'after']);
  },
);
