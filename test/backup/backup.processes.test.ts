import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backupTables } from '../../src/backup/backup-tables.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { openSqliteSnapshot } from '../../src/engines/sqlite/backup/sqlite-snapshot.js';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import type { Entry } from '../../src/entries/entry.js';
import { backUp, directory, embedded, poolPath, readAll, restore, verify, verifyTarget } from '../fixtures/backups.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

let root: string;
let logbook: TestService;
const dataDir = () => join(root, 'data');
const target = () => join(root, 'backups');
const restored = () => join(root, 'restored');

beforeEach(async () => {
  root = await makeTempDir();
  logbook = await TestService.start({}, dataDir());
});

afterEach(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

async function createWithFile(content: string): Promise<Entry> {
  const entry = {
    title: content.slice(0, 40),
    logbooks: [{ name: 'operations' }],
    attachments: [{ filename: 'a.txt' }],
  };
  const answer = await logbook.sendForm('PUT', entry, [{ name: 'a.txt', content }]);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const checksumOf = (entry: Entry) => String(entry.attachments[0]?.checksum);

async function poolNames(): Promise<string[]> {
  const names = await readdir(join(target(), 'pool'), { recursive: true });
  return names.flatMap((name) => /[0-9a-f]{64}$/.exec(name)?.[0] ?? []).sort();
}

/** Tables that are derived from others, are observed again, or would revive something that has ended. */
const notBackedUp = ['backdated_entry', 'session', 'start', 'unreferenced_file'];

test('a restored logbook has every row, but no session, and the files with their modes', async () => {
  const entry = await createWithFile('one');
  await logbook.post(`/logs/${entry.id}`, { ...entry, title: 'edited' });
  await logbook.create({ title: 'reply' }, `?inReplyTo=${entry.id}`);
  await logbook.call('/drafts', { method: 'POST', json: { title: 'a draft' } });
  const run = await logbook.create({ title: 'Scan', source: '' }, '?run=true');
  await logbook.put(`/logs/${run.id}/blocks/1`, { text: 'one' });
  const session = await sessionOf(logbook, principal('user', ['LOG']));
  // The audit record is written a moment after the action.
  await logbook.stop({ keepData: true });
  const before = await readAll(await openSqliteSnapshot(dataDir()));
  expect(before.archived_entry).toHaveLength(1);
  await backUp(embedded(dataDir()), directory(target()));
  await restore(embedded(restored()), directory(target()));
  expect(await readAll(await openSqliteSnapshot(restored()))).toEqual(before);

  const other = await TestService.start({}, restored());
  expect((await other.get('/user', { as: null, headers: { cookie: session } })).status).not.toBe(200);
  const file = await other.call(`/attachment/${entry.attachments[0]?.id}`);
  expect(file.text).toBe('one');
  expect((await other.create()).id).toBeGreaterThan(1_000);
  // A run continues after its last block, which is still stored once.
  const append = (sequence: number, text: string) => other.put(`/logs/${run.id}/blocks/${sequence}`, { text });
  expect((await append(1, 'one')).body).toMatchObject({ isRepeated: true });
  expect((await append(2, 'two')).body).toMatchObject({ isRepeated: false });
  expect((await other.get(`/logs/${run.id}`)).body).toMatchObject({ source: 'one\n\ntwo', run: { blocks: 2 } });
  expect((await stat(restored())).mode & 0o077).toBe(0);
  expect((await stat(join(restored(), 'logbook.sqlite'))).mode & 0o077).toBe(0);
  await other.service.searchIndex.waitUntilIndexed();
  await other.stop({ keepData: true });
  expect(await verify(embedded(restored()))).toEqual([]);
});

test('every table is in the backups, or known not to be', async () => {
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(join(dataDir(), 'logbook.sqlite'));
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  db.close();
  const known = new Set([...backupTables.map(({ name }) => name), ...notBackedUp]);
  expect(tables.map(({ name }) => String(name)).filter((name) => !known.has(name))).toEqual([]);
});

test('backdated entries are in the same order in a restored logbook', async () => {
  const DatabaseSync = await loadSqlite();
  const dates = [5_000, 1_000, 9_000, 3_000, 3_000, 9_000];
  await logbook.stop();
  logbook = await TestService.start({}, dataDir());
  for (const createdDate of dates) {
    await logbook.service.storage.write((tx) =>
      tx.entries.insert({ ...draftOf('one'), createdDate } as Parameters<typeof tx.entries.insert>[0]),
    );
  }
  await backUp(embedded(dataDir()), directory(target()));
  await restore(embedded(restored()), directory(target()));
  const orderIn = (dir: string) => {
    const db = new DatabaseSync(join(dir, 'logbook.sqlite'));
    const late = db.prepare('SELECT id, created_ms, place FROM backdated_entry ORDER BY id').all();
    const order = db.prepare('SELECT id, in_order, sequence FROM entry ORDER BY id').all();
    db.close();
    return { late, order };
  };
  expect(orderIn(restored())).toEqual(orderIn(dataDir()));
});

const draftOf = (title: string) => ({
  ...{
    title,
    description: '',
    source: '',
    owner: 'user',
    level: 'Info',
    state: 'Active',
    modifyDate: null,
    modifiedBy: null,
  },
  ...{
    events: [],
    logbooks: [{ name: 'operations', owner: 'admin', state: 'Active' }],
    tags: [],
    properties: [],
    attachments: [],
  },
});

test('a second backup adds only what is new, and each can be restored', async () => {
  for (let at = 0; at < 20; at += 1) await createWithFile(`file ${at}`);
  const first = await backUp(embedded(dataDir()), directory(target()));
  await createWithFile('new');
  const second = await backUp(embedded(dataDir()), directory(target()));
  expect(first.manifest.files).toHaveLength(20);
  expect(second.manifest.files).toHaveLength(21);
  const all = second.manifest.files.length + second.manifest.pieces.length;
  // The file, and the pieces of the tables that have one more row.
  expect(second.added).toBeLessThan(all - 20);
  expect(await verifyTarget(directory(target()), dataDir())).toEqual([]);
  await restore(embedded(restored()), directory(target()), { backup: first.manifest.header.name });
  const { entry = [] } = await readAll(await openSqliteSnapshot(restored()));
  expect(entry).toHaveLength(20);
});

test('an interrupted backup is not visible, serves the next one, and leaves nothing behind', async () => {
  for (let at = 0; at < 20; at += 1) await createWithFile(`file ${at}`);
  const stop = new AbortController();
  const interrupted = backUp(embedded(dataDir()), directory(target()), {
    signal: stop.signal,
    onProgress: (copied) => copied === 10 && stop.abort(),
  });
  await expect(interrupted).rejects.toThrow('aborted');
  expect(await verifyTarget(directory(target()), dataDir())).toEqual([
    expect.stringContaining('it has no complete backup'),
    expect.stringContaining('belong to no complete backup'),
  ]);
  await createWithFile('another');
  const { added, manifest } = await backUp(embedded(dataDir()), directory(target()));
  // The ten files that the interrupted backup had copied are reused.
  expect(added).toBeLessThanOrEqual(manifest.files.length + manifest.pieces.length - 10);
  const claimed = [...manifest.files, ...manifest.pieces].map(({ checksum }) => checksum);
  expect(await poolNames()).toEqual([...new Set(claimed)].sort());
  expect(await readdir(join(target(), 'unfinished'))).toEqual([]);
  expect(await readdir(join(target(), 'incoming'))).toEqual([]);
});

test('a backup after a removal that was interrupted is listed like any other', async () => {
  await backUp(embedded(dataDir()), directory(target()));
  await writeFile(join(target(), 'unfinished', 'removal.journal'), '');
  const { name } = (await backUp(embedded(dataDir()), directory(target()))).manifest.header;
  expect((await restore(embedded(restored()), directory(target()))).manifest.header.name).toBe(name);
});

test('a backup that was killed before it stored what its journal names does not hinder later ones', async () => {
  await backUp(embedded(dataDir()), directory(target()));
  const folders = await readdir(join(target(), 'pool'));
  const unused = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0')).find(
    (name) => !folders.includes(name),
  );
  await writeFile(join(target(), 'unfinished', '20250101T000000Z.journal'), `${unused?.repeat(32)}\n`);
  const { name } = (await backUp(embedded(dataDir()), directory(target()))).manifest.header;
  expect(await readdir(join(target(), 'unfinished'))).toEqual([]);
  expect((await restore(embedded(restored()), directory(target()))).manifest.header.name).toBe(name);
});

test('a backup with a limit reads no more than that in a second, and is complete', async () => {
  await createWithFile('small');
  await backUp(embedded(dataDir()), directory(join(root, 'limited')), { bytesPerSecond: 65_536 });
  expect(await verifyTarget(directory(join(root, 'limited')), dataDir())).toEqual([]);
  // Two minutes at this rate.
  await createWithFile('8 bytes '.repeat(1_048_576));
  const stop = new AbortController();
  const run = { bytesPerSecond: 65_536, signal: stop.signal };
  const slow = backUp(embedded(dataDir()), directory(join(root, 'limited')), run).then(
    () => 'complete',
    (error: Error) => error.message,
  );
  await backUp(embedded(dataDir()), directory(target()));
  stop.abort(new Error('still reading'));
  expect(await slow).toBe('still reading');
});

test('of two backups to one target at the same time, one is refused', async () => {
  await createWithFile('one');
  // Takes two minutes at the rate of the first one.
  await createWithFile('8 bytes '.repeat(1_048_576));
  const stop = new AbortController();
  let first: Promise<unknown> | undefined;
  await new Promise<void>((onProgress) => {
    const run = { bytesPerSecond: 65_536, signal: stop.signal, onProgress: () => onProgress() };
    first = backUp(embedded(dataDir()), directory(target()), run).catch((error: Error) => error.message);
  });
  const second = backUp(embedded(dataDir()), directory(target()));
  await expect(second).rejects.toThrow('Another process is writing a backup');
  stop.abort(new Error('it was still writing'));
  expect(await first).toBe('it was still writing');
});

test('a target of another logbook, and a directory with other files, are refused and unchanged', async () => {
  await backUp(embedded(dataDir()), directory(target()));
  const other = await TestService.start({}, join(root, 'other'));
  await expect(backUp(embedded(join(root, 'other')), directory(target()))).rejects.toThrow(
    'has the backups of the logbook',
  );
  await other.stop();
  const full = join(root, 'full');
  await mkdir(full);
  await writeFile(join(full, 'thesis.tex'), '');
  await expect(backUp(embedded(dataDir()), directory(full))).rejects.toThrow('has other files and no backups');
});

test('a target within the data directory, or around it, is refused, even behind a link, and nothing is created', async () => {
  await symlink(dataDir(), join(root, 'link'));
  const nested = [
    [join(dataDir(), 'backups'), 'is inside the data directory'],
    [join(root, 'link', 'a', 'b'), 'is inside the data directory'],
    [dataDir(), 'is the data directory'],
    [root, 'contains the data directory'],
  ] as const;
  for (const [dir, why] of nested) await expect(backUp(embedded(dataDir()), directory(dir))).rejects.toThrow(why);
  expect((await readdir(root)).sort()).toEqual(['data', 'link']);
  expect(existsSync(join(dataDir(), 'backups'))).toBe(false);
  // A name that only begins like that of the data directory.
  await backUp(embedded(dataDir()), directory(`${dataDir()}-backups`));
});

test('a file that the service has moved into quarantine is in the backup, and verify --repair moves it back', async () => {
  const entry = await createWithFile('one');
  const checksum = checksumOf(entry);
  const stored = join(dataDir(), 'attachments', checksum.slice(0, 2), checksum);
  // The running service would move it back as soon as somebody reads it.
  await logbook.stop({ keepData: true });
  await rename(stored, join(dataDir(), 'attachments', 'quarantine', checksum));
  const { findings } = await backUp(embedded(dataDir()), directory(target()));
  expect(findings).toEqual([]);
  expect(await readFile(poolPath(target(), checksum), 'utf8')).toBe('one');

  // It is found there; --repair moves it back.
  expect(await verify(embedded(dataDir()))).toEqual([expect.stringContaining('in quarantine')]);
  await verify(embedded(dataDir()), true);
  expect(existsSync(stored)).toBe(true);
  logbook = await TestService.start({}, dataDir());
});

test('files that the service moves into quarantine while a backup copies them are in the backup', async () => {
  const created: Entry[] = [];
  for (let at = 0; at < 20; at += 1) created.push(await createWithFile(`file ${at}`));
  const blobs = await openFileBlobStore({ dir: join(dataDir(), 'attachments') });
  let moved: Promise<string[]> | undefined;
  const { findings, manifest } = await backUp(embedded(dataDir()), directory(target()), {
    onProgress: () => {
      moved ??= blobs.quarantine(async () => new Set(), created.map(checksumOf));
    },
  });
  expect(await moved).toHaveLength(20);
  expect(findings).toEqual([]);
  expect(manifest.files.filter(({ state }) => state !== undefined)).toEqual([]);
  expect(await verifyTarget(directory(target()), dataDir())).toEqual([]);
});

test('a missing and a damaged file do not prevent a backup, which names both', async () => {
  const [missing, damaged] = [await createWithFile('one'), await createWithFile('two')];
  const pathOf = (entry: Entry) => join(dataDir(), 'attachments', checksumOf(entry).slice(0, 2), checksumOf(entry));
  await rm(pathOf(missing));
  await writeFile(pathOf(damaged), 'twO');
  const { findings, manifest } = await backUp(embedded(dataDir()), directory(target()));
  expect(findings.map(({ subject }) => subject).sort()).toEqual([pathOf(missing), pathOf(damaged)].sort());
  expect(manifest.files.map(({ state }) => state).sort()).toEqual(['damaged', 'missing']);
  await restore(embedded(restored()), directory(target()));
  expect(await verify(embedded(restored()))).toEqual([
    expect.stringContaining('the file is missing'),
    expect.stringContaining('the file is missing'),
    expect.stringContaining('the search index: it is missing'),
  ]);
});

test('after verify --repair, the next backup stores damaged parts again', async () => {
  const entry = await createWithFile('one');
  await backUp(embedded(dataDir()), directory(target()));
  await writeFile(poolPath(target(), checksumOf(entry)), 'onE');
  expect(await verifyTarget(directory(target()), dataDir(), true)).toEqual([
    expect.stringContaining(checksumOf(entry)),
  ]);
  await backUp(embedded(dataDir()), directory(target()));
  expect(await verifyTarget(directory(target()), dataDir())).toEqual([]);
  expect(await readdir(join(target(), 'damaged'))).toEqual([]);
});

test('retention removes a backup with the parts that only it has, and nothing while a manifest is damaged', async () => {
  const names: string[] = [];
  const retention = { newest: 1, daily: 0, weekly: 0, monthly: 0 };
  await createWithFile('one');
  names.push((await backUp(embedded(dataDir()), directory(target()))).manifest.header.name);
  await createWithFile('two');
  names.push((await backUp(embedded(dataDir()), directory(target()))).manifest.header.name);
  const manifest = join(target(), 'backups', `${names[0]}.manifest`);
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace('"entry"', '"entrY"'));
  const before = await poolNames();
  const third = await backUp(embedded(dataDir()), directory(target()), { retention });
  expect(third.removed).toEqual({ backups: [], objects: 0, bytes: 0, untrusted: [], damaged: names[0] });
  expect(await poolNames()).toEqual(expect.arrayContaining(before));

  await writeFile(manifest, text);
  const fourth = await backUp(embedded(dataDir()), directory(target()), { retention });
  expect(fourth.removed.backups).toEqual([...names, third.manifest.header.name].sort());
  const claimed = [...fourth.manifest.files, ...fourth.manifest.pieces].map(({ checksum }) => checksum);
  expect(await poolNames()).toEqual([...new Set(claimed)].sort());
  expect(await verifyTarget(directory(target()), dataDir())).toEqual([]);
});

test('a missing target is an error, and not a target without backups', async () => {
  const nowhere = directory(join(root, 'not-mounted'));
  await expect(verifyTarget(nowhere, dataDir())).rejects.toThrow('Check that its disk is mounted');
  await expect(restore(embedded(restored()), nowhere)).rejects.toThrow('Check that its disk is mounted');
  expect(await readdir(root)).toEqual(['data']);
});

test('a restore overwrites nothing', async () => {
  await createWithFile('one');
  await backUp(embedded(dataDir()), directory(target()));
  await expect(restore(embedded(dataDir()), directory(target()))).rejects.toThrow('is not empty');
  await mkdir(restored());
  await writeFile(join(restored(), 'notes.txt'), 'mine');
  await expect(restore(embedded(restored()), directory(target()))).rejects.toThrow('notes.txt');
  expect(await readdir(restored())).toEqual(['notes.txt']);
});

test('an interrupted restore is not started as a logbook, and can be repeated', async () => {
  for (let at = 0; at < 10; at += 1) await createWithFile(`file ${at}`);
  await backUp(embedded(dataDir()), directory(target()));
  const stop = new AbortController();
  let files = 0;
  const onProgress = () => {
    files += 1;
    if (files === 5) stop.abort();
  };
  const interrupted = restore(embedded(restored()), directory(target()), { signal: stop.signal, onProgress });
  await expect(interrupted).rejects.toThrow('aborted');
  await expect(TestService.start({}, restored())).rejects.toThrow('was not completed');
  await expect(restore(embedded(restored()), directory(target()))).rejects.toThrow('--start-over');
  await restore(embedded(restored()), directory(target()), { startOver: true });
  expect(await verify(embedded(restored()))).toEqual([expect.stringContaining('the search index: it is missing')]);
});

test('the intact part of a damaged backup is restored only with --accept-damage', async () => {
  const [lost, kept] = [await createWithFile('one'), await createWithFile('two')];
  await backUp(embedded(dataDir()), directory(target()));
  await rm(poolPath(target(), checksumOf(lost)));
  await expect(restore(embedded(restored()), directory(target()))).rejects.toThrow('nothing was written');
  expect(existsSync(restored())).toBe(false);
  const { findings } = await restore(embedded(restored()), directory(target()), { acceptDamage: true });
  expect(findings.map(({ subject }) => subject)).toEqual([expect.stringContaining(checksumOf(lost))]);
  const other = await TestService.start({}, restored());
  expect((await other.call(`/attachment/${kept.attachments[0]?.id}`)).text).toBe('two');
  await other.stop();
});

test('verify names a lost earlier version and what the index lacks; --repair builds the index again', async () => {
  const entry = await logbook.create();
  await logbook.post(`/logs/${entry.id}`, { ...entry, title: 'edited' });
  await logbook.post(`/logs/${entry.id}`, { ...entry, title: 'edited again' });
  const late = await logbook.create();
  await logbook.service.searchIndex.waitUntilIndexed();
  expect(await verify(embedded(dataDir()))).toEqual([]);
  await logbook.stop({ keepData: true });
  const DatabaseSync = await loadSqlite();
  // Threads of the service may still close theirs.
  const documents = new DatabaseSync(join(dataDir(), 'logbook.sqlite'), { timeout: 60_000 });
  documents.exec(`DELETE FROM archived_entry WHERE entry_id = ${entry.id} AND version = 1`);
  documents.close();
  const index = new DatabaseSync(join(dataDir(), 'search.sqlite'), { timeout: 60_000 });
  index.exec(`DELETE FROM indexed_version WHERE entry_id = ${entry.id}`);
  index.close();
  const lost = [
    expect.stringContaining(`the archived version 2 of entry ${entry.id}: it is version 2, but 0 earlier ones`),
    expect.stringContaining(`entry ${entry.id}: its archive does not match its version`),
    expect.stringContaining(`version 1 of entry ${entry.id}: it is recorded, but not stored`),
  ];
  const stale = expect.stringContaining(`it has version 1 of entry ${entry.id}, whose version is 3`);
  expect(await verify(embedded(dataDir()))).toEqual([...lost, stale]);
  expect(await verify(embedded(dataDir()), true)).toEqual([...lost, stale]);
  expect(await verify(embedded(dataDir()))).toEqual(lost);
  expect(late.id).toBeGreaterThan(entry.id);
  logbook = await TestService.start({}, dataDir());
});
