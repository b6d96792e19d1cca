import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { TestService } from '../fixtures/service.js';

const name = 'SR:C03-MG:G02A{Quad:1}%I';
const path = `/devices/${encodeURIComponent(name)}`;
const startMs = 1_764_104_400_000;
let pvws: PvwsServer;
let archiver: ArchiverServer;
let logbook: TestService;

beforeAll(async () => {
  [pvws, archiver] = await Promise.all([PvwsServer.start(), ArchiverServer.start()]);
  const settings = { deviceNames: 'SR:*,-SR:TEST*', pvwsUrl: pvws.url, archiverUrl: archiver.url };
  logbook = await TestService.start(settings);
});
afterAll(async () => {
  await logbook.stop();
  await Promise.all([pvws.stop(), archiver.stop()]);
});

const history = async (query: string, of = path) => logbook.get(`${of}/history?${query}`);
const codes = ({ body }: Awaited<ReturnType<typeof history>>) =>
  body.problems.map(({ source, code }: { source: string; code: string }) => `${source} ${code}`);

test('a device has its current value, and how to show it', async () => {
  pvws.addNumber(name, 401.234, { units: 'mA', precision: 1, severity: 'MAJOR', min: 0, max: 500, alarm_high: 400 });
  const { status, body } = await logbook.get(path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name,
    sources: ['live', 'history'],
    current: { kind: 'number', value: 401.234, text: '401.2 mA', severity: 'MAJOR', units: 'mA', precision: 1 },
    channel: null,
    problems: [],
  });
  expect(body.current.limits).toMatchObject({ displayLow: 0, displayHigh: 500, alarmLow: null, alarmHigh: 400 });
  expect((await logbook.get('/bootstrap')).body.deviceSources).toEqual(['live', 'history']);
});

test('a device that does not answer is reported, and other readers share one request for it', async () => {
  const before = pvws.received.length;
  const answers = await Promise.all(Array.from({ length: 4 }, () => logbook.get('/devices/SR:absent')));
  for (const answer of answers) expect(codes(answer)).toEqual(['live unknown']);
  expect(pvws.received.slice(before).filter(({ type }) => type === 'subscribe')).toHaveLength(1);
});

test('few values are returned as they are, many as means with their extremes', async () => {
  const samples = Array.from({ length: 3_000 }, (_, at) => ({ atMs: startMs + at * 1_000, val: String(at % 100) }));
  archiver.add(name, { EGU: 'mA', PREC: '2', DBRType: 'DBR_SCALAR_DOUBLE', HIHI: '490', HOPR: '500' }, ...samples);
  const { body: few } = await history(`start=${startMs}&end=${startMs + 9_500}&points=100`);
  expect(few).toMatchObject({ kind: 'number', isBinned: false, isCut: false, units: 'mA', precision: 2, problems: [] });
  expect(few.limits).toMatchObject({ alarmHigh: 490, displayHigh: 500 });
  expect(few.samples.map(({ value }: { value: number }) => value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(few.samples[1]).toEqual({ at: startMs + 1_000, value: 1, severity: 'NONE' });
  const { body: many } = await history(`start=${startMs}&end=${startMs + 2_999_000}&points=30`);
  expect(many.isBinned).toBe(true);
  expect(many.samples.length).toBeLessThanOrEqual(31);
  expect(many.samples[5]).toMatchObject({ min: 0, max: 99 });
});

test('a range that was read is not read again', async () => {
  archiver.add('SR:once', {}, { atMs: startMs, val: '1' });
  const query = `start=${startMs}&end=${startMs + 60_000}`;
  const answers = await Promise.all(Array.from({ length: 4 }, () => history(query, '/devices/SR:once')));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  await history(query, '/devices/SR:once');
  expect(archiver.ranges.filter((one) => one.get('pv')?.includes('SR:once'))).toHaveLength(1);
});

test('states of an enumeration have the names that the live values have', async () => {
  const labels = ['Closed', 'Open'];
  pvws.addNumber('SR:V1', 1, { text: 'Open', labels });
  archiver.add('SR:V1', { DBRType: 'DBR_SCALAR_ENUM' }, { atMs: startMs, val: '0' }, { atMs: startMs + 5, val: '1' });
  const { body } = await history(`start=${startMs}&end=${startMs + 10}`, '/devices/SR:V1');
  expect(body).toMatchObject({ kind: 'enum', states: labels, isBinned: false });
  expect(body.samples).toMatchObject([
    { value: 0, text: 'Closed' },
    { value: 1, text: 'Open' },
  ]);
});

test('a name that is not a device, and a wrong range, are refused', async () => {
  for (const other of ['BR:1', 'SR:TEST1', 'SR:1 ', `SR:${'x'.repeat(300)}`]) {
    const { status, body } = await logbook.get(`/devices/${encodeURIComponent(other)}`);
    expect([status, body.code]).toEqual([404, 'device.not-found']);
  }
  const refused = [
    ['start=2026-01-02&end=2026-01-01', 'device.bad-range'],
    ['end=9999-01-01', 'device.bad-range'],
    ['start=x', 'search.bad-time'],
    ['points=2001', 'request.invalid'],
    ['points=1', 'request.invalid'],
  ] as const;
  for (const [query, code] of refused) {
    const { status, body } = await history(query);
    expect([query, status, body.code]).toEqual([query, 400, code]);
  }
});

test('a device that the archiver does not have, and an archiver that is down, are stated', async () => {
  expect(codes(await history('', '/devices/SR:unknown'))).toEqual(['history unknown']);
  archiver.answer = (response) => response.destroy();
  expect(codes(await history('', '/devices/SR:down'))).toEqual(['history unavailable']);
  archiver.answer = undefined;
});

test('without sources, there are no devices', async () => {
  const other = await TestService.start({ deviceNames: 'SR:*' });
  expect((await other.get('/devices/SR:1')).body.code).toBe('device.no-source');
  expect((await other.get('/bootstrap')).body.deviceSources).toEqual([]);
  await other.stop();
  const live = await TestService.start({ deviceNames: 'SR:*', pvwsUrl: pvws.url });
  expect((await live.get('/devices/SR:1/history')).body.code).toBe('device.no-history');
  await live.stop();
});

test('devices are for those who may read', async () => {
  const closed = await TestService.start({ deviceNames: 'SR:*', pvwsUrl: pvws.url, requireSignInForReads: 'true' });
  expect((await closed.get(path, { as: null })).status).toBe(401);
  expect((await closed.get(path)).status).toBe(200);
  await closed.stop();
});

test('a curve of the past that could not be read is read again soon', async () => {
  archiver.add('SR:soon', {}, { atMs: startMs, val: '7' });
  archiver.answer = (response) => response.writeHead(500).end();
  const read = () => history(`start=${startMs}&end=${startMs + 1_000}`, '/devices/SR:soon');
  expect(codes(await read())).toEqual(['history unavailable']);
  archiver.answer = undefined;
  await expect.poll(async () => (await read()).body.samples.length).toBe(1);
});
