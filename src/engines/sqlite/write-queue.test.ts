import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTempDir } from '../../../test/fixtures/service.js';
import type { Connection } from './database.js';
import { openDatabase } from './open-database.js';
import { type CommitWork, WriteQueue } from './write-queue.js';

let dir: string;
let connection: Connection;
beforeEach(async () => {
  dir = await makeTempDir();
  connection = await openDatabase(join(dir, 'logbook.sqlite'), 'writer');
});
afterEach(async () => {
  connection.close();
  await rm(dir, { recursive: true });
});

const nothing: CommitWork = { mark: () => 0, backTo: () => undefined, finish: () => undefined };
const put = (key: string) => async () => {
  connection.run('INSERT INTO store (key, value) VALUES (?, ?)', key, key);
  return key;
};
const keys = () =>
  connection.all<{ key: string }>("SELECT key FROM store WHERE key <> 'id' ORDER BY key").map(({ key }) => key);

describe('a shared commit that fails', () => {
  /** Refuses to commit more than one write together. */
  function onlyAlone(): CommitWork & { writes: number } {
    return {
      writes: 0,
      mark() {
        this.writes += 1;
        return this.writes - 1;
      },
      backTo(mark) {
        this.writes = mark;
      },
      finish() {
        const { writes } = this;
        this.writes = 0;
        if (writes > 1) throw new Error('too many for one commit');
      },
    };
  }

  test('is tried again for each write alone; every promise settles', async () => {
    const queue = new WriteQueue(connection, onlyAlone(), () => undefined);
    const writes = ['a', 'b', 'c', 'd'].map((key) => queue.add(put(key)));
    expect(await Promise.all(writes)).toEqual(['a', 'b', 'c', 'd']);
    expect(keys()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('tells no write of a neighbour that was never stored', async () => {
    const queue = new WriteQueue(connection, onlyAlone(), () => undefined);
    const first = queue.add(async () => {
      await put('taken')();
      throw new Error('refused by itself');
    });
    const neighbour = queue.add(put('big'));
    const second = queue.add(put('taken'));
    await expect(first).rejects.toThrow('refused by itself');
    expect(await Promise.all([neighbour, second])).toEqual(['big', 'taken']);
    expect(keys()).toEqual(['big', 'taken']);
  });

  test('fails the one write that it had', async () => {
    const failing = {
      ...nothing,
      finish: () => {
        throw new Error('no commit');
      },
    };
    const queue = new WriteQueue(connection, failing, () => undefined);
    await expect(queue.add(put('a'))).rejects.toThrow('no commit');
    expect(keys()).toEqual([]);
  });
});

test('a transaction that cannot begin fails all that wait, once', async () => {
  const queue = new WriteQueue(connection, nothing, () => undefined);
  connection.exec('BEGIN');
  const writes = await Promise.allSettled(['a', 'b'].map((key) => queue.add(put(key))));
  expect(writes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await queue.add(put('c'))).toBe('c');
  expect(keys()).toEqual(['c']);
});

test('a write that takes long does not keep those behind it from being stored', async () => {
  const queue = new WriteQueue(connection, nothing, () => undefined);
  const slow = queue.add(async () => {
    for (const until = performance.now() + 20; performance.now() < until; ) connection.get('SELECT 1');
    return 'slow';
  });
  expect(await Promise.all([slow, queue.add(put('a'))])).toEqual(['slow', 'a']);
});

test('commits are announced once for all that they stored, after those have their answers', async () => {
  const order: string[] = [];
  const queue = new WriteQueue(connection, nothing, () => order.push('commit'));
  await Promise.all(['a', 'b'].map((key) => queue.add(put(key))));
  await queue.add(() => Promise.reject(new Error('no'))).catch(() => undefined);
  expect(order).toEqual(['commit']);
});
