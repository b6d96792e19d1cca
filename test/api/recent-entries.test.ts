import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { keepRecentEntries } from '../../src/entries/recent-entries.js';
import { entryDraft } from '../fixtures/entries.js';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

let logbook: TestService;
let dir: string;
let member: CallOptions;
const outsider: CallOptions = { as: null };
const admin: CallOptions = { as: 'admin:adminPass' };
beforeAll(async () => {
  dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = Safety Team\nSafety.write = Safety Team\n');
  logbook = await TestService.start({ logbookAccessFile: file });
  await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, admin);
  const cookie = await sessionOf(logbook, principal('mia', ['USER'], ['safety team']));
  member = { as: null, headers: { cookie } };
});
afterAll(async () => {
  await logbook.stop();
  await rm(dir, { recursive: true });
});

const inBook = (name: string) => ({ logbooks: [{ name }] });
const read = async (id: number, as: CallOptions = outsider) => {
  const { status, body, headers } = await logbook.get(`/logs/${id}`, as);
  return { status, title: body.title, etag: headers.get('etag') };
};
/** Reads twice: the second answer may come from memory. */
const readTwice = async (id: number, as: CallOptions = outsider) => {
  const first = await read(id, as);
  expect(await read(id, as)).toEqual(first);
  return first;
};

test('the request after an edit, or after joining a group, sees it', async () => {
  const { id } = await logbook.create({ title: 'version 0' });
  for (let version = 1; version <= 5; version += 1) {
    await readTwice(id);
    const edited = await logbook.post(`/logs/${id}`, { title: `version ${version}`, ...inBook('operations') });
    expect(edited.status, edited.text).toBe(200);
    expect(await read(id)).toEqual({ status: 200, title: `version ${version}`, etag: edited.headers.get('etag') });
  }
  const { etag } = await readTwice(id);
  const other = await logbook.create({ title: 'other' });
  expect((await logbook.post('/logs/group', [id, other.id])).status).toBe(200);
  const grouped = await readTwice(id);
  expect(grouped.etag).not.toBe(etag);
});

test('the request after a reply sees the group that it began', async () => {
  const { id } = await logbook.create({ title: 'question' });
  const { etag } = await readTwice(id);
  await logbook.create({ title: 'answer' }, `?inReplyTo=${id}`);
  expect((await read(id)).etag).not.toBe(etag);
});

test('the request after a redaction does not see what was removed', async () => {
  const { id } = await logbook.create({ title: 'secret' });
  await readTwice(id);
  const json = { reason: 'test', title: true };
  expect((await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, ...admin })).status).toBe(200);
  expect((await logbook.get(`/logs/${id}`)).text).not.toContain('secret');
});

test('what one reader may read is not shown to another, and a right that is withdrawn ends with the next request', async () => {
  const { id } = await logbook.create({ title: 'open' });
  expect((await readTwice(id)).status).toBe(200);
  const move = async (book: string) =>
    expect((await logbook.post(`/logs/${id}`, { title: 'moved', ...inBook(book) }, admin)).status).toBe(200);
  await move('Safety');
  expect((await readTwice(id, member)).status).toBe(200);
  expect((await readTwice(id)).status).toBe(404);
  expect((await readTwice(id, member)).status).toBe(200);
  await move('operations');
  expect((await readTwice(id)).status).toBe(200);
});

test('a commit leaves the entries in memory that it did not change', async () => {
  const opened = await sqliteEngine.open();
  try {
    const storage = keepRecentEntries(opened.storage);
    const insert = () => storage.write((tx) => tx.entries.insert(entryDraft()));
    const readJson = async ({ id }: StoredEntry) => (await storage.committed.entries.find(id))?.json;
    const [kept, edited] = [await insert(), await insert()];
    const before = [await readJson(kept), await readJson(edited)];
    await insert();
    expect(await readJson(kept)).toBe(before[0]);
    expect(await readJson(edited)).toBe(before[1]);
    await storage.write((tx) => tx.entries.edit(edited.entry));
    expect(await readJson(kept)).toBe(before[0]);
    expect(await readJson(edited)).not.toEqual(before[1]);
    await storage.write(async (tx) => {
      for (let count = 0; count <= 256; count += 1) await tx.entries.insert(entryDraft());
    });
    expect(await readJson(kept)).not.toBe(before[0]);
  } finally {
    await opened.destroy();
  }
});

test('a read that a commit overtakes is not kept', async () => {
  const opened = await sqliteEngine.open();
  try {
    const { committed } = opened.storage;
    let onRead = async (): Promise<void> => undefined;
    const slowly = {
      ...committed.entries,
      find: async (id: number) => {
        const found = await committed.entries.find(id);
        await onRead();
        return found;
      },
    };
    const storage = keepRecentEntries({ ...opened.storage, committed: { ...committed, entries: slowly } });
    const { id, entry } = await storage.write((tx) => tx.entries.insert(entryDraft({ title: 'before' })));
    onRead = async () => {
      onRead = async () => undefined;
      await storage.write((tx) => tx.entries.edit({ ...entry, title: 'after' }));
    };
    expect((await storage.committed.entries.find(id))?.entry.title).toBe('before');
    expect((await storage.committed.entries.find(id))?.entry.title).toBe('after');
    // Kept from here on.
    const readJson = async () => (await storage.committed.entries.find(id))?.json;
    expect(await readJson()).toBe(await readJson());
  } finally {
    await opened.destroy();
  }
});
