import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proveVersion } from '../../src/app/ledger/prove-version.js';
import { Connection, loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { appendRecord } from '../../src/engines/sqlite/tables/write-scope.js';
import type { Entry } from '../../src/entries/entry.js';
import { createSigningKeys } from '../../src/kernel/signing-keys.js';
import { digestAnnotated, redigestEntry, removeSalts } from '../../src/ledger/entry-digest.js';
import { extendLedger } from '../../src/ledger/extend-ledger.js';
import { digestItem } from '../../src/ledger/ledger-record.js';
import { embedded, sign, verify } from '../fixtures/backups.js';
import { stopComplete } from '../fixtures/ledger-records.js';
import { silentLog } from '../fixtures/log.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { ledgerOn } from '../fixtures/sqlite-ledger.js';

/**
 * Attempts of someone who can write to the database and has no key, and who recomputes everything that can be computed.
 */

const keys = createSigningKeys();
let root: string;
let logbook: TestService;
const dataDir = () => join(root, 'data');

beforeEach(async () => {
  root = await makeTempDir();
  logbook = await TestService.start({}, dataDir());
});

afterEach(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

/** Stops the service once all records are entered; returns the head. */
async function stopAndSign() {
  await stopComplete(logbook);
  const made = await sign(embedded(dataDir()), keys.privateKey);
  return { name: 'the checkpoint', ...made.checkpoint };
}

interface Version {
  readonly version: number;
  readonly entry: Entry;
  readonly salts: string;
}

/** Changes the database, and enters the records that were added. */
async function forge(work: (database: Connection) => void): Promise<void> {
  const DatabaseSync = await loadSqlite();
  const database = new Connection(new DatabaseSync(join(dataDir(), 'logbook.sqlite'), { timeout: 60_000 }));
  work(database);
  while ((await extendLedger(ledgerOn(database))) > 0);
  database.close();
}

function find(database: Connection, table: 'entry' | 'archived_entry', id: number): Version {
  const key = table === 'entry' ? 'id' : 'entry_id';
  const sql = `SELECT version, document, salts FROM ${table} WHERE ${key} = ? ORDER BY version LIMIT 1`;
  const row = database.get<{ version: number; document: string; salts: string }>(sql, id);
  if (!row) throw new Error('it is not stored');
  return { version: row.version, entry: JSON.parse(row.document) as Entry, salts: row.salts };
}

function put(database: Connection, table: 'entry' | 'archived_entry', { version, entry, salts }: Version): void {
  const json = JSON.stringify(entry);
  const key = table === 'entry' ? 'id' : 'entry_id';
  const where = table === 'entry' ? '' : `AND version = ${version}`;
  const sql = `UPDATE ${table} SET document = ?, crc = ?, salts = ?, version = ? WHERE ${key} = ? ${where}`;
  database.run(sql, json, crc32(json), salts, version, entry.id);
}

const ledgerProblems = async (head: Awaited<ReturnType<typeof stopAndSign>>) =>
  (await verify(embedded(dataDir()), false, [head])).filter((line) => !line.includes('index')).join('\n');

test('an entry that was changed is not hidden by a record that it has only joined a group', async () => {
  const { id } = await logbook.create({ title: 'Beam lost', description: 'what was observed' });
  const head = await stopAndSign();
  const replace = (kind: 'annotated' | 'recorded') =>
    forge((database) => {
      const stored = find(database, 'entry', id);
      const entry = { ...stored.entry, title: 'Nothing happened' };
      const { salts, digest } = digestAnnotated(entry, null, stored.salts);
      put(database, 'entry', { version: 2, entry, salts });
      database.run('DELETE FROM ledger_record WHERE version = 2');
      database.exec('DELETE FROM ledger_tile');
      appendRecord(database, { kind, entryId: id, version: 2, subject: '', atMs: Date.now(), digest });
    });
  await replace('annotated');
  expect(await ledgerProblems(head)).toContain(`version 1 of entry ${id}: it is recorded, but not stored`);
  // An earlier version of the program that runs on another node leaves the same.
  await replace('recorded');
  const unproven = 'nothing proves that only a group was added';
  expect(await ledgerProblems(head)).toContain(
    `version 1 of entry ${id}: it was replaced after a checkpoint that covers it, by 2: ${unproven}`,
  );
});

test('an entry that has joined a group, and an edit and a redaction after that, are as recorded', async () => {
  const properties = [{ name: 'device', attributes: [{ name: 'key', value: 'swordfish' }] }];
  const { id } = await logbook.create({ title: 'one', properties });
  await logbook.create({ title: 'a reply' }, `?inReplyTo=${id}`);
  const joined = (await logbook.get(`/logs/${id}`)).body;
  expect(joined.properties).toHaveLength(2);
  await logbook.post(`/logs/${id}`, { title: 'two', logbooks: [{ name: 'operations' }], properties });
  const redaction = { reason: 'why', title: true, properties: true };
  const path = `/logs/${id}/redaction`;
  const answer = await logbook.call(path, { method: 'POST', json: redaction, as: 'admin:adminPass' });
  expect(answer.status, answer.text).toBe(200);
  const head = await stopAndSign();
  expect(await ledgerProblems(head)).toBe('');
});

test('removed content can be replaced only by the sentence that says who removed it', async () => {
  const { id } = await logbook.create({ title: 'one', description: 'first', properties: [] });
  const redaction = { reason: 'why', text: true };
  await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json: redaction, as: 'admin:adminPass' });
  const head = await stopAndSign();
  expect(await ledgerProblems(head)).toBe('');
  let kept: Version | undefined;
  await forge((database) => {
    kept = find(database, 'archived_entry', id);
    put(database, 'archived_entry', { ...kept, entry: { ...kept.entry, source: 'other', description: 'other' } });
  });
  expect(await ledgerProblems(head)).toContain(
    `version 1 of entry ${id}: the removed content was replaced by something other`,
  );
  await forge((database) => {
    const { entry, salts, version } = kept as Version;
    // The title was not removed, but its salt can still be replaced.
    const without = removeSalts(entry, salts, (place) => place === 1);
    put(database, 'archived_entry', { version, entry: { ...entry, title: 'Nothing happened' }, salts: without });
    expect(redigestEntry({ ...entry, title: 'Nothing happened' }, without, null)).toBe(
      redigestEntry(entry, salts, null),
    );
  });
  expect(await ledgerProblems(head)).toContain(
    `version 1 of entry ${id}: content was removed from it without a recorded redaction`,
  );
});

test('no proof is written of a version that is not what was recorded', async () => {
  const { id } = await logbook.create({ title: 'Beam lost' });
  await stopAndSign();
  await forge((database) => {
    const stored = find(database, 'entry', id);
    put(database, 'entry', { ...stored, entry: { ...stored.entry, title: 'Nothing happened' } });
  });
  const request = { id, version: undefined, checkpoint: undefined };
  await expect(proveVersion(embedded(dataDir()), request, silentLog)).rejects.toThrow('is not what was recorded');
});

test('no version is proven or shown instead of one that is lost', async () => {
  const { id } = await logbook.create({ title: 'one' });
  const logbooks = [{ name: 'operations' }];
  for (const title of ['two', 'three']) await logbook.post(`/logs/${id}`, { title, logbooks });
  await stopAndSign();
  const prove = (version: number | undefined) =>
    proveVersion(embedded(dataDir()), { id, version, checkpoint: undefined }, silentLog);
  await forge((database) => database.run('DELETE FROM archived_entry WHERE entry_id = ? AND version = 2', id));
  await expect(prove(2)).rejects.toThrow(`Version 2 of entry ${id} is not stored: verify the logbook.`);
  await expect(prove(4)).rejects.toThrow(`Entry ${id} has 3 versions, and no version 4.`);
  expect((await prove(3)).record).toEqual((await prove(undefined)).record);
  expect((await prove(1)).record).toMatchObject({ version: 1 });
  logbook = await TestService.start({}, dataDir());
  expect((await logbook.get(`/logs/${id}/versions/2`)).status).toBe(404);
  expect((await logbook.get(`/logs/${id}/versions/1`)).body.title).toBe('one');
});

test('documents of any shape, with right checksums, are named and do not end the verification', async () => {
  const { id } = await logbook.create({ title: 'one' });
  const head = await stopAndSign();
  await forge((database) => {
    const stored = find(database, 'entry', id);
    const properties = [{ name: 4, owner: '', state: 'Active', attributes: [{ name: null, value: {} }] }] as never;
    put(database, 'entry', { ...stored, entry: { ...stored.entry, properties }, salts: `${stored.salts}~x` });
    for (const redaction of [
      'null',
      '{}',
      JSON.stringify({ entryId: id, versions: [1], parts: { attachments: [] } }),
    ]) {
      database.run('INSERT INTO redaction (document, crc) VALUES (?, ?)', redaction, crc32(redaction));
    }
  });
  const found = await ledgerProblems(head);
  expect(found).toContain(`version 1 of entry ${id}: its stored content or its salts cannot be read`);
  expect(found).toContain('“redaction/3”: no record of it is in the ledger');
});

test('a redaction that has no record is named', async () => {
  const { id } = await logbook.create({ title: 'one', description: 'first' });
  const head = await stopAndSign();
  await forge((database) => {
    const parts = { title: true, text: false, properties: false, attachments: [] };
    const redaction = { entryId: id, versions: [1], parts, reason: 'why', by: 'admin', atMs: 0 };
    const sentence = 'Removed by admin on 1970-01-01: why';
    const { version, entry, salts } = find(database, 'entry', id);
    const without = removeSalts(entry, salts, (place) => place === 1);
    put(database, 'entry', { version, entry: { ...entry, title: sentence }, salts: without });
    const document = JSON.stringify(redaction);
    expect(digestItem(document)).toHaveLength(64);
    database.run('INSERT INTO redaction (document, crc) VALUES (?, ?)', document, crc32(document));
  });
  expect(await ledgerProblems(head)).toContain('“redaction/1”: no record of it is in the ledger');
});
