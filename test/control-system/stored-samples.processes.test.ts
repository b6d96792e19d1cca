import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { embedded, verify } from '../fixtures/backups.js';
import { stopComplete } from '../fixtures/ledger-records.js';
import { runCommand } from '../fixtures/process.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly sample?: object;
}

let pvws: PvwsServer;
let archiver: ArchiverServer;
let root: string;
let logbook: TestService;
beforeEach(async () => {
  [pvws, archiver, root] = await Promise.all([PvwsServer.start(), ArchiverServer.start(), makeTempDir()]);
  logbook = await start();
});
afterEach(async () => {
  await logbook.stop();
  await Promise.all([pvws.stop(), archiver.stop()]);
  await rm(root, { recursive: true, force: true });
});

const dataDir = () => join(root, 'data');
const start = () => TestService.start({ deviceNames: 'SR:*', pvwsUrl: pvws.url, archiverUrl: archiver.url }, dataDir());
const propertiesOf = async (id: number, service = logbook) => (await service.get(`/logs/${id}`)).body.properties;
const attributesOf = async (id: number, service = logbook): Promise<Attribute[]> =>
  (await propertiesOf(id, service)).flatMap(({ attributes }: { attributes: Attribute[] }) => attributes);
const samplesOf = async (id: number, service = logbook) =>
  Object.fromEntries((await attributesOf(id, service)).map(({ name, sample }) => [name, sample]));
const instant = expect.any(Number);

async function createWithValues(): Promise<number> {
  pvws.addNumber('SR:I', 401.2345678901234, { units: 'mA', precision: 1 });
  pvws.addNumber('SR:NaN', 'NaN', { severity: 'INVALID' });
  pvws.addNumber('SR:VALVE', 1, { text: 'Open', labels: ['Closed', 'Open'] });
  archiver.add('SR:OLD', {}, { atMs: Date.now() - 60_000, val: '0.1234567890123' });
  const { id } = await logbook.create({ title: 'SR:I, SR:NaN, SR:VALVE and SR:OLD' });
  await expect.poll(() => samplesOf(id)).toHaveProperty('SR:OLD.numbers', ['0.1234567890123']);
  return id;
}

test('each value of a device has its sample in full precision, which other clients need not know', async () => {
  const id = await createWithValues();
  const samples = await samplesOf(id);
  expect(samples).toEqual({
    'SR:I': { numbers: ['401.2345678901234'], units: 'mA', severity: 'NONE', instant },
    'SR:NaN': { numbers: ['NaN'], severity: 'INVALID', instant },
    'SR:VALVE': { text: 'Open', index: 1, severity: 'NONE', instant },
    'SR:OLD': { numbers: ['0.1234567890123'], severity: 'NONE', instant },
    read: undefined,
  });
  expect(await attributesOf(id)).toContainEqual(expect.objectContaining({ name: 'SR:I', value: '401.2 mA' }));

  const plain = (await propertiesOf(id)).map(({ name, attributes }: { name: string; attributes: Attribute[] }) => ({
    name,
    attributes: attributes.map((one) => ({ name: one.name, value: one.name === 'SR:NaN' ? 'none' : one.value })),
  }));
  const entry = { title: 'SR:I', level: 'Info', logbooks: [{ name: 'operations' }] };
  const edited = await logbook.call(`/logs/${id}`, { method: 'POST', json: { ...entry, properties: plain } });
  expect(edited.status, edited.text).toBe(200);
  expect(await samplesOf(id)).toEqual({ ...samples, 'SR:NaN': undefined });
  await stopComplete(logbook);
  expect(await verify(embedded(dataDir()))).toEqual([]);
});

test('samples are exported and imported with their entries, and removed with their properties', async () => {
  const id = await createWithValues();
  const samples = await samplesOf(id);
  const fromService = join(root, 'from-service');
  const imported = await runCommand(['import', logbook.base, '--data-dir', fromService]);
  expect(imported.code, imported.errors).toBe(0);
  await logbook.stop({ keepData: true });
  const file = join(root, 'all.zip');
  const exported = await runCommand(['export', file, '--data-dir', dataDir()]);
  expect(exported.code, exported.errors).toBe(0);
  const fromFile = join(root, 'from-file');
  const read = await runCommand(['import', file, '--data-dir', fromFile]);
  expect(read.code, read.errors).toBe(0);
  for (const dir of [fromService, fromFile]) {
    const copy = await TestService.start({}, dir);
    expect(await samplesOf(id, copy).finally(() => copy.stop())).toEqual(samples);
  }

  logbook = await start();
  const json = { reason: 'Not for all.', title: false, text: false, properties: true, attachments: [] };
  const answer = await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, as: 'admin:adminPass' });
  expect(answer.status, answer.text).toBe(200);
  expect(Object.values(await samplesOf(id)).filter((one) => one !== undefined)).toEqual([]);
  const { text } = await logbook.get(`/logs/archived/${id}`);
  expect(text).not.toContain('0.1234567890123');
});
