import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proveVersion } from '../../src/app/ledger/prove-version.js';
import { createSigningKeys } from '../../src/kernel/signing-keys.js';
import { backUp, directory, embedded, sign, verify } from '../fixtures/backups.js';
import { filesWith } from '../fixtures/files-with.js';
import { untilEntered } from '../fixtures/ledger-records.js';
import { silentLog } from '../fixtures/log.js';
import { expectNotFoundOnceRedacted } from '../fixtures/redacted-search.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const admin = 'admin:adminPass';
const secret = 'Xyzzy4711Plugh';

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

const redact = (id: number, json: object, as = admin) =>
  logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, as });

async function createWithFile(id: string, content: string) {
  const entry = {
    title: 'With a file',
    logbooks: [{ name: 'operations' }],
    attachments: [{ id, filename: 'notes.txt' }],
  };
  const answer = await logbook.sendForm('PUT', entry, [{ name: 'notes.txt', content }]);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Waits until what follows a redaction in the background is done. */
async function settled(): Promise<void> {
  const { storage } = logbook.service;
  await expect.poll(() => storage.committed.redactions.listFilesToRemove()).toEqual([]);
  await untilEntered(logbook);
}

const titlesOf = async (text: string, key = 'text') =>
  (await logbook.get(`/logs/search?${key}=${text}`)).body.logs.map(({ title }: { title: string }) => title);

test('a removed text is gone from every version, the search and every byte on the disk, and the ledger holds', async () => {
  const { id } = await logbook.create({ title: `first ${secret}`, description: `The password is ${secret}.` });
  await logbook.post(`/logs/${id}`, {
    title: 'second',
    description: `Again ${secret}`,
    logbooks: [{ name: 'operations' }],
    properties: [{ name: 'device', attributes: [{ name: 'key', value: secret }] }],
  });
  const other = await logbook.create({ title: 'untouched', description: 'another text' });
  expect(await titlesOf(secret)).toEqual(['second']);
  await settled();
  const keys = createSigningKeys();
  const signNow = () => sign(embedded(dataDir()), keys.privateKey);
  const before = await signNow();

  const answer = await redact(id, { reason: 'It was a password.', title: true, text: true, properties: true });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({
    redactions: [{ entryId: id, by: 'admin', reason: 'It was a password.', number: 1 }],
    sameContent: [],
  });
  const shown = (await logbook.get(`/logs/${id}`)).body;
  expect(shown.title).toMatch(/^Removed by admin on \d{4}-\d\d-\d\d: It was a password\.$/);
  expect(shown.source).toBe(shown.title);
  expect((await logbook.get(`/logs/archived/${id}`)).text).not.toContain(secret);
  expect((await logbook.get(`/logs/archived/${id}`)).body.logs).toHaveLength(2);
  expect(await titlesOf(secret)).toEqual([]);
  await settled();
  await expect.poll(() => readdir(dataDir())).toContain('search-rebuilt.sqlite');
  await expect.poll(() => readdir(dataDir())).not.toContain('search.sqlite');
  expect((await logbook.get(`/suggest?key=text&q=${secret.slice(0, 5)}`)).body).toEqual([]);
  expect(await titlesOf('another')).toEqual(['untouched']);
  await expect.poll(() => filesWith(dataDir(), secret)).toEqual([]);
  await logbook.stop({ keepData: true });
  expect(await filesWith(dataDir(), secret.toLowerCase())).toEqual([]);
  const { checkpoint } = before;
  expect(await verify(embedded(dataDir()), false, [{ name: 'the checkpoint', ...checkpoint }])).toEqual([]);
  await backUp(embedded(dataDir()), directory(join(root, 'backups')));
  expect(await filesWith(join(root, 'backups'), secret)).toEqual([]);

  const content = { text: before.signed, content: checkpoint };
  const proof = await proveVersion(embedded(dataDir()), { id, version: 1, checkpoint: content }, silentLog);
  expect(proof.fields.map((field) => [field.name, 'digest' in field])).toEqual([
    ['head', false],
    ['title', true],
    ['text', true],
    ['properties', true],
  ]);
  await proveVersion(embedded(dataDir()), { id: other.id, version: 1, checkpoint: content }, silentLog);
});

test('a removed file is gone with its text and its name, and a file that says why is in its place', async () => {
  const { id } = await createWithFile('a1', `the key is ${secret}`);
  const again = await createWithFile('a2', `the key is ${secret}`);
  const reference = { logbooks: [{ name: 'operations' }], attachments: [{ id: 'a1', filename: 'notes.txt' }] };
  const sharing = (await logbook.sendForm('PUT', { title: 'shares it', ...reference }, [])).body;
  await expect.poll(() => titlesOf(secret, 'attachmentText')).toHaveLength(3);

  const first = await redact(id, { reason: 'A key.', attachments: ['a1'] });
  expect(first.status, first.text).toBe(200);
  expect(first.body.redactions.map(({ entryId }: { entryId: number }) => entryId).sort()).toEqual(
    [id, sharing.id].sort(),
  );
  expect(first.body.sameContent).toEqual([again.id]);
  for (const entryId of [id, sharing.id]) {
    const [attachment] = (await logbook.get(`/logs/${entryId}`)).body.attachments;
    expect(attachment).toMatchObject({ id: 'a1', filename: 'removed.txt' });
  }
  expect((await logbook.get('/attachment/a1')).text).toMatch(/^Removed by admin on .*: A key\.$/m);
  expect((await logbook.get('/attachment/a2')).text).toContain(secret);
  expect((await redact(again.id, { reason: 'A key.', attachments: ['a2'] })).body.sameContent).toEqual([]);
  await settled();
  await expect.poll(() => titlesOf(secret, 'attachmentText')).toEqual([]);
  await expect.poll(() => readdir(dataDir())).not.toContain('search.sqlite');
  await logbook.stop({ keepData: true });
  expect(await filesWith(dataDir(), secret)).toEqual([]);
  expect(await verify(embedded(dataDir()))).toEqual([]);
});

test('no search and no suggestion finds what was redacted as soon as the redaction is answered', async () => {
  await expectNotFoundOnceRedacted(logbook);
});

test('a redaction that is refused changes nothing', async () => {
  const { id } = await createWithFile('a1', 'content');
  const before = (await logbook.get(`/logs/${id}`)).text;
  const codes = async (json: object, as?: string) => {
    const { status, body } = await redact(id, json, as);
    return [status, body.code];
  };
  expect(await codes({ reason: 'why', text: true }, 'user:userPass')).toEqual([403, 'auth.role-missing']);
  expect(await codes({ reason: ' ', text: true })).toEqual([400, 'entry.bad-redaction']);
  expect(await codes({ reason: 'why' })).toEqual([400, 'entry.bad-redaction']);
  expect(await codes({ reason: 'why', attachments: ['other'] })).toEqual([404, 'attachment.not-found']);
  expect((await redact(9_999, { reason: 'why', text: true })).status).toBe(404);
  expect((await logbook.get(`/logs/${id}`)).text).toBe(before);
  expect(await logbook.service.storage.committed.redactions.listRedactions(0, 10)).toEqual([]);
});

test('a part that was removed in the database by hand is named: no redaction says who did so', async () => {
  const { id } = await logbook.create({ title: 'one', description: secret });
  await redact(id, { reason: 'why', text: true });
  await settled();
  await logbook.stop({ keepData: true });
  const { Connection, loadSqlite } = await import('../../src/engines/sqlite/database/connection.js');
  const DatabaseSync = await loadSqlite();
  const database = new Connection(new DatabaseSync(join(dataDir(), 'logbook.sqlite'), { timeout: 60_000 }));
  database.exec('DELETE FROM redaction');
  database.close();
  const found = (await verify(embedded(dataDir()))).join('\n');
  expect(found).toContain(`entry ${id}: content was removed from it without a recorded redaction`);
  expect(found).toContain('“redaction/1”: it is recorded, but not stored');
});
