import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backUp, directory, embedded, restore } from '../fixtures/backups.js';
import { fileOfEntryZero, importEntryZero } from '../fixtures/entry-zero.js';
import { untilEntered } from '../fixtures/ledger-records.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
type Body = any;

let root: string;
const at = (name: string) => join(root, name);
const source = () => at('source');
beforeAll(async () => {
  root = await makeTempDir();
  await importEntryZero(source());
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function withService<T>(dataDir: string, work: (service: TestService) => Promise<T>): Promise<T> {
  const service = await TestService.start({}, dataDir);
  try {
    return await work(service);
  } finally {
    await service.stop({ keepData: true });
  }
}

/** Reads everything that the interface shows of entry 0. */
async function readZero(service: TestService): Promise<Body> {
  const get = async (path: string) => {
    const { status, body, text } = await service.get(path);
    expect(status, `${path}: ${text}`).toBe(200);
    return body;
  };
  const entry = await get('/logs/0');
  const [{ id, filename }] = entry.attachments;
  const files = [`/attachment/${id}`, `/logs/attachments/0/${encodeURIComponent(filename)}`];
  return {
    entry,
    archived: await get('/logs/archived/0'),
    versions: [await get('/logs/0/versions/1'), await get('/logs/0/versions/2')],
    files: await Promise.all(files.map(async (path) => (await service.get(path)).text)),
    thread: (await get('/logs/search?sort=up&query=thread:0')).logs.map((log: Body) => log.id),
  };
}

async function expectSame(dataDir: string): Promise<void> {
  const there = await withService(source(), readZero);
  expect(await withService(dataDir, readZero)).toEqual(there);
}

/** Waits until the ledger has every version. */
async function completeLedger(dataDir: string): Promise<void> {
  await withService(dataDir, untilEntered);
}

describe('an imported entry 0', () => {
  test('is shown with its versions and its file', async () => {
    const { entry, archived, versions, files } = await withService(source(), readZero);
    expect(entry).toMatchObject({ id: 0, title: 'The first, edited', version: 2 });
    expect(archived).toMatchObject({ hitCount: 1, logs: [{ id: 0, title: 'The first' }] });
    expect(versions.map(({ title }: Body) => title)).toEqual(['The first', 'The first, edited']);
    expect(files).toEqual([fileOfEntryZero.content, fileOfEntryZero.content]);
  });

  test('survives an export and its import', async () => {
    const exported = await runCommand(['export', at('all.zip'), '--format', 'ndjson', '--data-dir', source()]);
    expect(exported.code, exported.errors).toBe(0);
    const imported = await runCommand(['import', at('all.zip'), '--data-dir', at('imported')]);
    expect([imported.code, imported.output], imported.errors).toEqual([0, expect.stringContaining('Both are equal')]);
    await expectSame(at('imported'));
  });

  test('survives a backup and its restore', async () => {
    await backUp(embedded(source()), directory(at('backups')));
    await restore(embedded(at('restored')), directory(at('backups')));
    await expectSame(at('restored'));
  });

  test('is verified and proven', async () => {
    await completeLedger(source());
    const verified = await runCommand(['verify', '--data-dir', source()]);
    expect([verified.code, verified.errors], verified.output).toEqual([0, '']);
    for (const version of ['1', '2']) {
      const out = at(`proof-${version}.json`);
      const proven = await runCommand(['prove', '0', '--entry-version', version, '--out', out, '--data-dir', source()]);
      expect(proven.code, proven.errors).toBe(0);
      expect(JSON.stringify(JSON.parse(await readFile(out, 'utf8')))).toContain('The first');
    }
  });

  test('is edited, gets a file and is put into a thread like every other', async () => {
    await withService(source(), async (service) => {
      const { attachments, ...fields } = (await service.get('/logs/0')).body;
      const edited = await service.post(
        '/logs/0',
        { ...fields, title: 'Edited here', attachments },
        { as: 'admin:adminPass' },
      );
      expect([edited.status, edited.body.version], edited.text).toEqual([200, 3]);
      const form = new FormData();
      form.append('file', new Blob(['more']), 'more.txt');
      const added = await service.call('/logs/attachments/0', { method: 'POST', body: form, as: 'admin:adminPass' });
      expect(added.status, added.text).toBe(200);
      const { id } = await service.create({ title: 'reply' });
      for (const _ of ['once', 'again']) expect((await service.post('/logs/group', [0, id])).status).toBe(200);
      const groupOf = async (of: number) =>
        (await service.get(`/logs/${of}`)).body.properties.find(({ name }: Body) => name === 'Log Entry Group')
          .attributes;
      expect(await groupOf(id)).toEqual(await groupOf(0));
    });
  });
});
