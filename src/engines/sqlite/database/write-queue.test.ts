import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import { LocalLeases } from '../../../kernel/local-leases.js';
import { diskFull } from '../../../kernel/storage-faults.js';
import { EntryIds } from '../entry-ids.js';
import type { Connection } from './connection.js';
import { openDatabase } from './open-database.js';
import { SqliteWriteQueue } from './write-queue.js';

let dir: string;
let connection: Connection;
/** Sees only committed data. */
let reader: Connection;
let ids: EntryIds;
beforeEach(async () => {
  dir = await makeTempDir();
  connection = await openDatabase(join(dir, 'logbook.sqlite'), 'writer');
  reader = await openDatabase(join(dir, 'logbook.sqlite'), 'reader');
  ids = EntryIds.open(dir, 0, silentLog);
});
afterEach(async () => {
  ids.close(0);
  connection.close();
  reader.close();
  await rm(dir, { recursive: true });
});

const put = (key: string) => async () => {
  connection.run('INSERT INTO store (key, value) VALUES (?, ?)', key, key);
  return key;
};
const keysOn = (on: Connection) =>
  on
    .all<{ key: string }>("SELECT key FROM store WHERE key NOT IN ('id', 'feed_secret') ORDER BY key")
    .map(({ key }) => key);
const keys = () => keysOn(connection);

const openQueue = (deps: Partial<ConstructorParameters<typeof SqliteWriteQueue>[0]> = {}) =>
  new SqliteWriteQueue({
    connection,
    ids,
    leases: new LocalLeases(),
    findRefusal: () => undefined,
    afterCommit: () => undefined,
    ...deps,
  });

test.skipIf(process.platform !== 'linux')(
  'a write whose ids cannot be recorded is refused, and others are not',
  async () => {
    const full = join(dir, 'full');
    await mkdir(full);
    await symlink('/dev/full', join(full, 'entry-ids'));
    const unwritable = EntryIds.open(full, 0, silentLog);
    const queue = openQueue({ ids: unwritable });
    const write = queue.add(async () => {
      unwritable.give(1);
      return put('a')();
    });
    await expect(write).rejects.toMatchObject({ code: 'storage.full' });
    expect(keys()).toEqual([]);
    await queue.add(put('b'));
    expect(keys()).toEqual(['b']);
    expect(() => unwritable.close(0)).toThrow(/ENOSPC/);
  },
);

test('the ids of a write are recorded when it is acknowledged', async () => {
  const queue = openQueue();
  await queue.add(async () => ids.give(41));
  expect(EntryIds.open(dir, 0, silentLog).floor).toBe(41);
});

describe('a shared commit that fails', () => {
  beforeEach(() => {
    connection.exec(`
      CREATE TABLE there (name TEXT PRIMARY KEY);
      CREATE TABLE wanted (name TEXT REFERENCES there DEFERRABLE INITIALLY DEFERRED)`);
  });
  /** Makes the commit fail. */
  const spoil = () => connection.run("INSERT INTO wanted VALUES ('missing')");
  /** Makes a commit of more than one write fail. */
  const putAlone = (key: string) => async () => {
    await put(key)();
    if (keys().length > keysOn(reader).length + 1) spoil();
    return key;
  };

  test('is tried again for each write alone, and every promise settles', async () => {
    const queue = openQueue();
    const writes = ['a', 'b', 'c', 'd'].map((key) => queue.add(putAlone(key)));
    expect(await Promise.all(writes)).toEqual(['a', 'b', 'c', 'd']);
    expect(keys()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('lets no write see the data of another that was not stored', async () => {
    const queue = openQueue();
    const first = queue.add(async () => {
      await put('taken')();
      throw new Error('refused by itself');
    });
    const neighbour = queue.add(putAlone('big'));
    const second = queue.add(putAlone('taken'));
    await expect(first).rejects.toThrow('refused by itself');
    expect(await Promise.all([neighbour, second])).toEqual(['big', 'taken']);
    expect(keys()).toEqual(['big', 'taken']);
  });

  test('rejects the only write in it', async () => {
    const queue = openQueue();
    const write = queue.add(async () => {
      await put('a')();
      spoil();
    });
    await expect(write).rejects.toThrow(/FOREIGN KEY/);
    expect(keys()).toEqual([]);
  });
});

test('a transaction that cannot begin rejects all queued writes, once', async () => {
  const queue = openQueue();
  connection.exec('BEGIN');
  const writes = await Promise.allSettled(['a', 'b'].map((key) => queue.add(put(key))));
  expect(writes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await queue.add(put('c'))).toBe('c');
  expect(keys()).toEqual(['c']);
});

test('on a full disk, removals are committed, and other writes in the same transaction are refused', async () => {
  connection.run("INSERT INTO store (key, value) VALUES ('a', 'a')");
  const full = diskFull();
  const queue = openQueue({ findRefusal: () => full });
  const [before, removal, after] = await Promise.allSettled([
    queue.add(put('b')),
    queue.add(async () => connection.run("DELETE FROM store WHERE key = 'a'"), { isRemoval: true }),
    queue.add(put('c')),
  ]);
  expect(removal).toEqual({ status: 'fulfilled', value: 1 });
  for (const store of [before, after]) expect(store).toEqual({ status: 'rejected', reason: full });
  expect(keysOn(reader)).toEqual([]);
});

test('a slow write does not prevent later writes from being stored', async () => {
  const queue = openQueue();
  const slow = queue.add(async () => {
    for (const until = performance.now() + 20; performance.now() < until; ) connection.get('SELECT 1');
    return 'slow';
  });
  expect(await Promise.all([slow, queue.add(put('a'))])).toEqual(['slow', 'a']);
});

test('each commit is announced once', async () => {
  const order: string[] = [];
  const queue = openQueue({ afterCommit: () => order.push('commit') });
  await Promise.all(['a', 'b'].map((key) => queue.add(put(key))));
  await queue.add(() => Promise.reject(new Error('no'))).catch(() => undefined);
  expect(order).toEqual(['commit']);
});
