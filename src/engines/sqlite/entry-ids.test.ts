import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordingLog, silentLog } from '../../../test/fixtures/log.js';
import { makeTempDir } from '../../../test/fixtures/service.js';
import { EntryIds, inspectGivenIds } from './entry-ids.js';

let dir: string;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

const file = () => join(dir, 'entry-ids');
/** Opens the ids again without closing them, as after a crash. */
const reopen = (newest: number) => EntryIds.open(dir, newest, silentLog);
/** Turns a record into one from before a restart of the machine, in the format without a checksum. */
const ofEarlierBoot = (text: string) => text.replace(/boot .*\nchecksum .*\n/, 'boot earlier\n');
/** Records the ids of a transaction that stores entries. */
const commit = (ids: EntryIds, ...given: number[]) => {
  for (const id of given) ids.give(id);
  ids.record();
};

test('the first start has no floor', () => {
  expect(reopen(0).floor).toBe(0);
});

test('after a crash, the floor is the highest id given', () => {
  const ids = reopen(0);
  commit(ids, 1, 2);
  commit(ids, 3);
  expect(reopen(3).floor).toBe(3);
  expect(reopen(1).floor).toBe(3);
});

test('after a power failure, when the exact mark may be lost, the floor is the end of the reserved block', async () => {
  const ids = reopen(0);
  commit(ids, 1);
  const text = await readFile(file(), 'utf8');
  commit(ids, 2);
  // The record that was on disk at the last sync.
  await writeFile(file(), ofEarlierBoot(text));
  expect(reopen(1).floor).toBe(100);
});

test('after a stop, the rest of the block is free again, also after a restart of the machine', async () => {
  const ids = reopen(0);
  commit(ids, 1);
  ids.close(1);
  await writeFile(file(), ofEarlierBoot(await readFile(file(), 'utf8')));
  expect(reopen(1).floor).toBe(1);
});

test('an id that was given in an older run is below the floor of all later runs', () => {
  const ids = reopen(0);
  commit(ids, 7);
  ids.close(7);
  const later = reopen(3);
  later.close(3);
  expect(reopen(3).floor).toBe(7);
});

test('one warning is logged if the database is older than the ids, and none if it is not', () => {
  const ids = reopen(0);
  commit(ids, 5);
  const logged = recordingLog();
  EntryIds.open(dir, 5, logged.log);
  expect(logged.messages()).toEqual([]);
  EntryIds.open(dir, 3, logged.log);
  expect(logged.messages()).toEqual(['database is older than the ids already given; the ids in between are skipped']);
});

test('an unreadable file is logged, and the database decides', async () => {
  await writeFile(file(), 'rubbish');
  const logged = recordingLog();
  expect(EntryIds.open(dir, 4, logged.log).floor).toBe(0);
  expect(logged.messages()).toEqual(['highest entry id not readable; using the database']);
});

test('a flipped bit in any byte of a record makes the record unreadable', async () => {
  const ids = reopen(0);
  commit(ids, 123);
  const record = await readFile(file());
  const used = record.toString().trimEnd().length;
  for (let at = 0; at < used; at += 1) {
    const flipped = Buffer.from(record);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
    await writeFile(file(), flipped);
    expect(inspectGivenIds(dir), flipped.toString()).toBe('unreadable');
  }
});
