import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { historyValuesJob } from '../../src/entries/device-values-job.js';
import { plotsJob } from '../../src/entries/plots-job.js';
import { ZipReader } from '../../src/imports/zip-reader.js';
import { ElogImportSource } from '../../src/integrations/elog/elog-import-source.js';
import { readMapping } from '../../src/integrations/elog/elog-mapping.js';
import { FileImportSource } from '../../src/integrations/logbook-file/file-import-source.js';
import type { Job } from '../../src/kernel/background-job.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { startChannelFinder } from '../fixtures/channel-finder-server.js';
import { collect } from '../fixtures/collect.js';
import { type ExportContent, writeExport } from '../fixtures/export-file.js';
import { ImportTarget } from '../fixtures/import-archive.js';
import { runCommand } from '../fixtures/process.js';
import { TestService } from '../fixtures/service.js';

const createdDate = 1_764_104_400_000;
const trip = { name: 'trip', instant: createdDate - 60_000 };
const signal = new AbortController().signal;
let destination: ImportTarget;
let archiver: ArchiverServer;
let history: ArchiverAppliance;
let jobs: Job[];
beforeEach(async () => {
  [destination, archiver] = await Promise.all([ImportTarget.open(), ArchiverServer.start()]);
  history = new ArchiverAppliance({ url: archiver.url, caCertificates: undefined, timeoutMs: 60_000 });
  archiver.add('SR:V1', {}, { atMs: trip.instant - 1, val: '1' }, { atMs: createdDate - 1, val: '2' });
  const blobs = await openFileBlobStore({ dir: join(destination.dir, 'files') });
  const deviceNames = new DeviceNames(['SR:*']);
  // Runs a minute after the import.
  const deps = { storage: destination.storage, blobs, clock: { nowMs: () => Date.now() + 60_000 }, deviceNames };
  jobs = [historyValuesJob(deps, history), plotsJob(deps, history)];
  await addValues();
});
afterEach(async () => {
  history.close();
  await Promise.all([destination.close(), archiver.stop()]);
});

async function addValues(): Promise<void> {
  for (const job of jobs) while ((await job.run(signal)) === 'more');
}

/** Imports this content, and compares. */
async function bring(content: ExportContent) {
  const file = join(destination.dir, 'export.zip');
  await writeExport(file, content);
  const source = await FileImportSource.open(await ZipReader.open(file), signal);
  const { report, reconciliation } = await destination.bring(source);
  const problems = report.problems.map(({ kind, key, text }) => `${kind} ${key}: ${text}`);
  return { problems, differences: reconciliation.differences };
}
const isEqual = { problems: [], differences: [] };

const find = async () => (await destination.storage.committed.entries.find(1))?.entry;
const valuesOf = (entry: Awaited<ReturnType<typeof find>>) =>
  entry?.properties.flatMap(({ name, attributes }) =>
    name.startsWith('Device Values') ? attributes.map(({ value }) => value) : [],
  );
const values = ['2', `${new Date(createdDate).toISOString()}, archiver`, '1'];
const entry = {
  ...{ id: 1, title: 'SR:V1 leaks', createdDate, events: [trip], version: 1 },
  source: 'Leak.\n\n```plot\nSR:V1\n-1h..0\n```',
};
const edited = { ...entry, title: 'SR:V1 leaks again', modifyDate: createdDate + 1, modifiedBy: 'alice', version: 2 };

test('an imported entry receives the archived values of its time, which its source does not have', async () => {
  expect(await bring({ entries: [{ entry }] })).toEqual(isEqual);
  await addValues();
  expect(valuesOf(await find())).toEqual(values);
  expect((await find())?.attachments).toHaveLength(1);
  expect(await bring({ entries: [{ entry }] })).toEqual(isEqual);
});

test('a later edit at a source that keeps versions is imported, and the values stay', async () => {
  await bring({ entries: [{ entry }] });
  await addValues();
  const content = { entries: [{ entry: edited, archived: [entry] }] };
  for (let run = 1; run <= 2; run++) {
    expect(await bring(content)).toEqual(isEqual);
    await addValues();
  }
  expect(await find()).toMatchObject({ title: edited.title, version: 2 });
  expect(valuesOf(await find())).toEqual(values);
  expect((await find())?.attachments).toHaveLength(1);
  expect(await collect(destination.storage.committed.entries.listArchived(1))).toHaveLength(1);
});

test('a device that a later edit at the source names receives the archived value of the creation', async () => {
  archiver.add('SR:V2', {}, { atMs: createdDate - 1, val: '7' });
  await bring({ entries: [{ entry }] });
  await addValues();
  const content = { entries: [{ entry: { ...edited, title: 'SR:V1 and SR:V2' }, archived: [entry] }] };
  for (let run = 1; run <= 2; run++) {
    expect(await bring(content)).toEqual(isEqual);
    await addValues();
  }
  expect(valuesOf(await find())).toEqual(['2', '7', values[1], '1']);
});

test('a later edit at a source that keeps no versions is imported, and the values stay', async () => {
  archiver.add('SR:V2', {}, { atMs: Date.UTC(2019, 0, 2, 8), val: '7' });
  const dir = join(destination.dir, 'elog');
  await mkdir(join(dir, 'Ops'), { recursive: true });
  await writeFile(join(dir, 'Ops', '190102_093100_a.txt'), 'a');
  const bringElog = async (title: string) => {
    const head = `$@MID@$: 1\nDate: Wed, 02 Jan 2019 10:00:00 +0100\nSubject: ${title}\nAttachment: 190102_093100_a.txt`;
    await writeFile(join(dir, 'Ops', '190102a.log'), `${head}\nEncoding: plain\n${'='.repeat(40)}\nSR:V2\n`);
    return destination.bring(await ElogImportSource.open(dir, readMapping(undefined)));
  };
  for (const title of ['one', 'two', 'three']) {
    expect((await bringElog(title)).report.problems).toEqual([]);
    await addValues();
    expect(await find()).toMatchObject({ title, attachments: [{ filename: 'a.txt' }] });
    expect(valuesOf(await find())).toEqual([
      '7 (sampled 2019-01-02T08:00:00.000Z)',
      '2019-01-02T09:00:00.000Z, archiver',
    ]);
  }
});

test('an entry that was edited both here and at its source is left as it is here', async () => {
  await bring({ entries: [{ entry }] });
  await addValues();
  await destination.storage.write(async (tx) => {
    const stored = await tx.entries.find(1);
    if (stored) await tx.entries.edit({ ...stored.entry, title: 'here', modifyDate: 9, modifiedBy: 'bob' });
  });
  const { problems } = await bring({ entries: [{ entry: edited, archived: [entry] }] });
  expect(problems).toEqual([expect.stringMatching('changed both here and at the source')]);
  expect(await find()).toMatchObject({ title: 'here' });
});

test('an import recognises names of the directory, and imports nothing while it does not answer', async () => {
  const directory = await startChannelFinder(new Map([['IPM1.XPOS', { owner: 'o', properties: {}, tags: [] }]]));
  directory.answer = (response) => response.writeHead(500).end();
  const file = join(destination.dir, 'export.zip');
  await writeExport(file, { entries: [{ entry: { id: 1, title: 'IPM1.XPOS drifts', createdDate, version: 1 } }] });
  const data = join(destination.dir, 'data');
  const env = {
    LOGBOOK_DATA_DIR: data,
    LOGBOOK_CHANNEL_FINDER_URL: directory.url,
    LOGBOOK_DEVICE_NAMES_FROM_DIRECTORY: 'true',
  };
  const run = () => runCommand(['import', file], undefined, env);
  const failed = await run();
  expect([failed.code, failed.errors]).toEqual([1, expect.stringContaining('Nothing was imported')]);
  expect(existsSync(data)).toBe(false);
  directory.answer = undefined;
  expect((await run()).code).toBe(0);
  const logbook = await TestService.start({}, data);
  const { body } = await logbook.get('/logs/search?title=IPM1*');
  expect(body.logs).toMatchObject([{ title: 'IPM1.XPOS drifts', devices: ['IPM1.XPOS'] }]);
  await logbook.stop();
  await directory.stop();
});
