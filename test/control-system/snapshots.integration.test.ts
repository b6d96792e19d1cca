import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonServer } from '../fixtures/json-server.js';
import { startSaveAndRestore, type TestSnapshot } from '../fixtures/phoebus-servers.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const id = '8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1';
const [unnamed, many, lost] = [1, 2, 3].map((at) => `8a1b0a62-6f0a-4b7c-9d6e-00000000000${at}`) as [
  string,
  string,
  string,
];
const admin = { as: 'admin:adminPass' };
const resource = (file: string) => ({
  name: 'resource',
  attributes: [
    { name: 'name', value: 'x' },
    { name: 'file', value: file },
  ],
});
const naming = (snapshotId: string) => ({ properties: [resource(`file:/${snapshotId}?app=saveandrestore`)] });

let pvws: PvwsServer;
let server: JsonServer;
let dir: string;
let logbook: TestService;

beforeAll(async () => {
  const value = (number: unknown, units = 'mA') => ({ value: number, units });
  const same = { 'SR:same': value(401.2), 'SR:list': value([1, 2.5]) };
  const values = {
    'SR:C03-MG:G02A{Quad:1}%I': value(400),
    ...same,
    ...{ 'SR:close': value(1.04), 'SR:single': value(0.1), 'SR:nan': value('NaN'), 'SR:state': value(1, '') },
    ...{ 'SR:absent': value(3), 'SR:object': value({}), 'SR:TEST1': value(1), 'BR:1': value(2) },
    ...{ 'SR:units': value(400), 'SR:same-number': value(1.25) },
  };
  const all = Object.fromEntries(Array.from({ length: 5_012 }, (_, at) => [`SR:many:${at}`, value(at)]));
  const snapshot = (one: string, its: TestSnapshot['values']) => ({ id: one, name: 'x', createdMs: 1, values: its });
  server = await startSaveAndRestore([snapshot(id, values), snapshot(unnamed, values), snapshot(many, all)]);
  pvws = await PvwsServer.start();
  dir = await makeTempDir();
  const logbookAccessFile = join(dir, 'access.properties');
  await writeFile(logbookAccessFile, 'Safety.read = user:admin\n');
  const settings = { deviceNames: 'SR:*,-SR:TEST*', pvwsUrl: pvws.url, saveAndRestoreUrl: server.url };
  logbook = await TestService.start({ ...settings, logbookAccessFile });
  await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, admin);
});
afterAll(async () => {
  await logbook.stop();
  await Promise.all([pvws.stop(), server.stop(), rm(dir, { recursive: true })]);
});

test('the values of a snapshot are compared with those now', async () => {
  pvws.addNumber('SR:C03-MG:G02A{Quad:1}%I', 401.25, { units: 'mA', precision: 1, severity: 'MAJOR' });
  pvws.addNumber('SR:same', 401.2, { units: 'mA', precision: 1 });
  pvws.addNumber('SR:close', 1.02, { precision: 1 });
  pvws.addNumber('SR:single', Math.fround(0.1), { precision: 3 });
  pvws.addNumber('SR:nan', 'NaN');
  pvws.addNumber('SR:state', 0, { text: 'Closed', labels: ['Closed', 'Open'] });
  pvws.devices.set('SR:list', () => [
    { seconds: 1, nanos: 0, b64dbl: Buffer.from(Float64Array.of(1, 2.5).buffer).toString('base64') },
  ]);
  pvws.addNumber('SR:object', 3);
  pvws.addNumber('SR:units', 0.4, { units: 'A', precision: 1 });
  pvws.addNumber('SR:same-number', 1.25, { units: 'A', precision: 1 });
  pvws.addNumber('SR:TEST1', 1);
  const { id: entry } = await logbook.create({ title: 'Restored', ...naming(id) });
  const { status, body } = await logbook.get(`/logs/${entry}/snapshots/${id}`);
  expect(status).toBe(200);
  const { rows, ...rest } = body;
  // Neither those that are excluded nor those that match no pattern are read.
  expect(rest).toEqual({ id, total: 11, excluded: 2, problems: [] });
  expect(pvws.received.some(({ pvs }) => pvs.includes('SR:TEST1') || pvs.includes('BR:1'))).toBe(false);
  const shown = rows.map(
    (row: Record<string, { text?: string } | null> & { problems: { source: string; code: string }[] }) => [
      row.name,
      row.saved?.text,
      row.current?.text,
      row.isDifferent,
      row.difference,
      ...row.problems.map(({ source, code }) => `${source} ${code}`),
    ],
  );
  expect(shown).toEqual([
    ['SR:C03-MG:G02A{Quad:1}%I', '400.0 mA', '401.3 mA', true, 1.25],
    ['SR:same', '401.2 mA', '401.2 mA', false, null],
    ['SR:list', '[1, 2.5] mA', '[1, 2.5] mA', false, null],
    // The decimals of the device would hide the difference; those of a number with single precision are none.
    ['SR:close', '1.04 mA', '1.02 mA', true, -0.02],
    ['SR:single', '0.100 mA', '0.100 mA', false, null],
    ['SR:nan', 'NaN mA', 'NaN mA', false, null],
    ['SR:state', '1', 'Closed', true, null],
    ['SR:absent', '3 mA', undefined, null, null, 'live unknown'],
    ['SR:object', undefined, '3', null, null, 'snapshots unreadable'],
    // The decimals are those of the current units.
    ['SR:units', '400 mA', '0.4 A', true, null],
    ['SR:same-number', '1.25 mA', '1.3 A', true, null],
  ]);
  expect(rows[0].current.severity).toBe('MAJOR');
});

test('a snapshot of 5,012 devices is compared in parts of 200, and read once', async () => {
  for (let at = 0; at < 5_012; at += 1) pvws.addNumber(`SR:many:${at}`, at);
  const { id: entry } = await logbook.create(naming(many));
  const path = `/logs/${entry}/snapshots/${many}`;
  const before = server.requested.length;
  const parts = await Promise.all([0, 200, 5_000, 5_012].map(async (from) => logbook.get(`${path}?from=${from}`)));
  const shown = parts.map(({ body: { rows, total } }) => [rows.length, total, rows.at(-1)?.name]);
  expect(shown).toEqual([
    [200, 5_012, 'SR:many:199'],
    [200, 5_012, 'SR:many:399'],
    [12, 5_012, 'SR:many:5011'],
    [0, 5_012, undefined],
  ]);
  expect(parts[2]?.body.rows[0]).toMatchObject({ name: 'SR:many:5000', isDifferent: false });
  // A busy machine may read other live values.
  const namesIn = ({ rows }: { readonly rows: readonly { readonly name: string }[] }) => rows.map(({ name }) => name);
  expect(namesIn((await logbook.get(path)).body)).toEqual(namesIn(parts[0]?.body));
  expect(server.requested.length).toBe(before + 1);
  expect((await logbook.get(`${path}?from=-1`)).status).toBe(400);
});

test('404 device.no-snapshot: only snapshots that the entry names are read', async () => {
  const files = [`file:/${id}?app=saveandrestore`, `file:/${unnamed}?app=display`, `see ${unnamed}`, '/x.bob', ''];
  const properties = [
    { ...resource(''), attributes: files.map((value, at) => ({ name: at === 0 ? 'file' : `f${at}`, value })) },
  ];
  properties.push({ name: 'other', attributes: [{ name: 'file', value: `file:/${unnamed}?app=saveandrestore` }] });
  const { id: entry } = await logbook.create({ properties, source: `file:/${unnamed}?app=saveandrestore` });
  const before = server.requested.length;
  for (const other of [unnamed, 'x', '..%2Fnode', id.slice(0, -1), `${id}x`]) {
    const answer = await logbook.get(`/logs/${entry}/snapshots/${other}`);
    expect([answer.status, answer.body.code]).toEqual([404, 'device.no-snapshot']);
  }
  expect(server.requested.length).toBe(before);
});

test('404 entry.not-found: the reader must be allowed to read the entry', async () => {
  const closed = await logbook.create({ ...naming(id), logbooks: [{ name: 'Safety' }] }, '', admin);
  const path = `/logs/${closed.id}/snapshots/${id}`;
  expect(await logbook.get(path)).toMatchObject({ status: 404, body: { code: 'entry.not-found' } });
  expect(await logbook.get(path, admin)).toMatchObject({ status: 200 });
});

test('a snapshot that is unknown or cannot be read says why; without the source there is none', async () => {
  const { id: entry } = await logbook.create(naming(lost));
  const problems = async (service: TestService) => (await service.get(`/logs/${entry}/snapshots/${lost}`)).body;
  expect(await problems(logbook)).toMatchObject({ rows: [], problems: [{ source: 'snapshots', code: 'unknown' }] });
  const without = await TestService.start({ deviceNames: 'SR:*', pvwsUrl: pvws.url });
  const { id: other } = await without.create(naming(lost));
  const answer = await without.get(`/logs/${other}/snapshots/${lost}`);
  expect(answer).toMatchObject({ status: 404, body: { code: 'device.no-save-and-restore' } });
  await without.stop();
});
