import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteSnapshot } from '../../src/engines/sqlite/backup/sqlite-snapshot.js';
import { backUp, directory, embedded, readAll, restore, verify } from '../fixtures/backups.js';
import { filesWith } from '../fixtures/files-with.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const secret = 'Xyzzy4711Plugh';
let root: string;
let logbook: TestService;
const at = (name: string) => join(root, name);
const target = () => directory(at('backups'));

beforeEach(async () => {
  root = await makeTempDir();
  logbook = await TestService.start({}, at('data'));
});

afterEach(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

async function createWithFile(title: string) {
  const entry = { title, logbooks: [{ name: 'operations' }], attachments: [{ id: title, filename: 'notes.txt' }] };
  const answer = await logbook.sendForm('PUT', entry, [{ name: 'notes.txt', content: `file of ${title}` }]);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function redact(id: number, parts: object) {
  const json = { reason: 'It must not stay.', ...parts };
  const answer = await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, as: 'admin:adminPass' });
  expect(answer.status, answer.text).toBe(200);
}

const redactionsIn = async (dir: string) => (await readAll(await openSqliteSnapshot(dir))).redaction ?? [];

test('redactions that newer backups know are applied to a restored older one, which is then whole', async () => {
  const edited = await logbook.create({ title: 'first', description: `The password is ${secret}.` });
  await logbook.post(`/logs/${edited.id}`, { ...edited, source: 'no password', description: 'no password' });
  const file = await createWithFile(secret);
  const reference = { logbooks: [{ name: 'operations' }], attachments: [{ id: secret, filename: 'notes.txt' }] };
  const sharing = (await logbook.sendForm('PUT', { title: 'shares it', ...reference }, [])).body;
  await redact(sharing.id, { title: true });
  const { manifest } = await backUp(embedded(at('data')), target());
  const late = await createWithFile('late');
  await redact(edited.id, { text: true });
  await redact(file.id, { title: true, attachments: [secret] });
  await redact(late.id, { attachments: ['late'] });
  await backUp(embedded(at('data')), target());

  const restored = await restore(embedded(at('restored')), target(), { backup: manifest.header.name });
  expect(restored).toMatchObject({ redactions: 3, findings: [] });
  const said = (dir: string) =>
    redactionsIn(dir).then((rows) =>
      rows.map(([, document]) => JSON.parse(String(document))).map(({ versions: _, ...redaction }) => redaction),
    );
  expect(await said(at('restored'))).toEqual((await said(at('data'))).filter(({ entryId }) => entryId !== late.id));
  const other = await TestService.start({}, at('restored'));
  expect((await other.get(`/logs/${edited.id}`)).body.source).toMatch(/^Removed by admin on .*: It must not stay\.$/);
  expect((await other.call(`/attachment/${secret}`)).text).toMatch(/^Removed by admin/);
  await expect.poll(() => other.service.storage.committed.redactions.listFilesToRemove()).toEqual([]);
  await other.service.searchIndex.waitUntilIndexed();
  await other.stop({ keepData: true });
  expect(await verify(embedded(at('restored')))).toEqual([]);
  expect(await filesWith(at('restored'), `file of ${secret}`)).toEqual([]);
  expect(await filesWith(at('restored'), `password is ${secret}`)).toEqual([]);

  // A backup of what was restored knows them too: nothing is redacted twice.
  await backUp(embedded(at('restored')), target());
  await restore(embedded(at('again')), target(), { backup: manifest.header.name });
  expect(await redactionsIn(at('again'))).toHaveLength(4);
});

test('the newest backup is restored as it is, and a damaged newer one is named', async () => {
  const entry = await logbook.create({ title: 'one' });
  const { manifest } = await backUp(embedded(at('data')), target());
  await redact(entry.id, { title: true });
  const { name } = (await backUp(embedded(at('data')), target())).manifest.header;
  expect(await restore(embedded(at('newest')), target())).toMatchObject({ redactions: 0, findings: [] });
  await writeFile(join(at('backups'), 'backups', `${name}.manifest`), '{}\n');
  const restored = await restore(embedded(at('restored')), target(), { backup: manifest.header.name });
  expect(restored.redactions).toBe(0);
  expect(restored.findings).toMatchObject([{ kind: 'problem', subject: `the backup ${name}` }]);
  expect(await readdir(at('restored'))).not.toContain('restore-incomplete');
});
