import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { downgradeToVersion6 } from '../../../../test/fixtures/earlier-schema.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import type { Connection } from './connection.js';
import { type ConnectionRole, openDatabase } from './open-database.js';

let dir: string;
let connections: Connection[];
beforeEach(async () => {
  dir = await makeTempDir();
  connections = [];
});
afterEach(async () => {
  for (const connection of connections) connection.close();
  await rm(dir, { recursive: true });
});

async function open(role: ConnectionRole): Promise<Connection> {
  const connection = await openDatabase(join(dir, 'logbook.sqlite'), role);
  connections.push(connection);
  return connection;
}

const pragma = (connection: Connection, name: string) => Object.values(connection.get(`PRAGMA ${name}`) ?? {})[0];

test('the writer uses a write-ahead log and flushes each commit to the disk', async () => {
  const writer = await open('writer');
  expect([pragma(writer, 'journal_mode'), pragma(writer, 'synchronous'), pragma(writer, 'foreign_keys')]).toEqual([
    'wal',
    2,
    1,
  ]);
});

test('after a burst of writes, the write-ahead log shrinks with the next write that follows a checkpoint', async () => {
  const writer = await open('writer');
  const logBytes = async () => (await stat(join(dir, 'logbook.sqlite-wal'))).size;
  writer.exec('CREATE TABLE burst (content BLOB)');
  writer.run('INSERT INTO burst VALUES (zeroblob(40000000))');
  expect(await logBytes()).toBeGreaterThan(40_000_000);
  (await open('checkpointer')).get('PRAGMA wal_checkpoint(PASSIVE)');
  writer.run('INSERT INTO burst VALUES (zeroblob(1))');
  expect(await logBytes()).toBeLessThan(17_000_000);
});

test('a checkpoint does not wait for readers, and so does not block the writer', async () => {
  const writer = await open('writer');
  const reader = await open('reader');
  const checkpointer = await open('checkpointer');
  reader.exec('BEGIN');
  reader.get('SELECT count(*) FROM entry');
  writer.run("INSERT INTO store (key, value) VALUES ('a', 'b')");
  expect(pragma(checkpointer, 'busy_timeout')).toBe(0);
  expect(checkpointer.get('PRAGMA wal_checkpoint(RESTART)')).toMatchObject({ busy: 1 });
  writer.run("INSERT INTO store (key, value) VALUES ('c', 'd')");
});

test('a checkpointer creates no database in place of one that was moved away', async () => {
  await expect(open('checkpointer')).rejects.toThrow(/unable to open/);
  expect(await readdir(dir)).toEqual([]);
});

test('a reader cannot write', async () => {
  await open('writer');
  const reader = await open('reader');
  expect(() => reader.run("INSERT INTO store (key, value) VALUES ('a', 'b')")).toThrow();
});

test('opening the database again does not change the store', async () => {
  const first = await open('writer');
  const { value } = first.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'") ?? { value: '' };
  first.close();
  const second = await open('writer');
  expect(second.get("SELECT value FROM store WHERE key = 'id'")).toMatchObject({ value });
});

test('a migration gives each attribute of the properties of an earlier database the preset null', async () => {
  const first = await open('writer');
  const stored = (attributes: object[]) => JSON.stringify({ name: 'p', owner: '', state: 'Active', attributes });
  const insert = "INSERT INTO catalog_item (kind, name, document) VALUES ('properties', ?, ?)";
  first.run(
    insert,
    'two',
    stored([
      { name: 'a', state: 'Active' },
      { name: 'b "x"', state: 'Inactive' },
    ]),
  );
  first.run(insert, 'none', stored([]));
  downgradeToVersion6(first);
  first.close();
  const upgraded = await open('writer');
  const attributesOf = (name: string) =>
    JSON.parse(String(upgraded.get('SELECT document FROM catalog_item WHERE name = ?', name)?.document)).attributes;
  expect(attributesOf('two')).toEqual([
    { name: 'a', value: null, state: 'Active' },
    { name: 'b "x"', value: null, state: 'Inactive' },
  ]);
  expect(attributesOf('none')).toEqual([]);
});
