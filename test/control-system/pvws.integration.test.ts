import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CombinedLiveValues } from '../../packages/control-system/combined-live-values.js';
import { Pvws } from '../../packages/control-system/pvws.js';
import { liveValuesSuite } from '../contract/live-values.suite.js';
import { PvwsServer, timeOf } from '../fixtures/pvws-server.js';

const options = { caCertificates: undefined, timeoutMs: 1_000 };
const { signal } = new AbortController();

describe('PVWS', () => {
  liveValuesSuite(async () => {
    const server = await PvwsServer.start();
    return {
      connect: (timeoutMs) => new Pvws({ ...options, timeoutMs, url: server.url }),
      add: async (name, value, units) => server.addNumber(name, value, { units }),
      async destroy() {
        await server.stop();
        expect(server.largestMessage).toBeLessThan(8_192);
        expect(new Set(server.received.map(({ type }) => type))).toEqual(new Set(['subscribe', 'clear']));
      },
    };
  });
});

describe('two sources together', () => {
  liveValuesSuite(async () => {
    const servers = [await PvwsServer.start(), await PvwsServer.start()] as const;
    let added = 0;
    const open = ({ url }: PvwsServer) => new Pvws({ ...options, url });
    return {
      connect: () => new CombinedLiveValues([open(servers[0]), open(servers[1])]),
      add: async (name, value, units) => servers[added++ % 2 === 0 ? 0 : 1].addNumber(name, value, { units }),
      async destroy() {
        await Promise.all(servers.map((server) => server.stop()));
      },
    };
  });
});

test('of two sources, the first has priority, and one that is down does not prevent the other', async () => {
  const servers = [await PvwsServer.start(), await PvwsServer.start()] as const;
  for (const [at, server] of servers.entries()) server.addNumber('both', at);
  const source = new CombinedLiveValues([
    new Pvws({ ...options, url: servers[0].url }),
    new Pvws({ ...options, url: servers[1].url }),
  ]);
  const read = async () => (await source.read(['both'], signal)).get('both');
  expect(await read()).toMatchObject({ value: 0 });
  await servers[0].stop();
  expect(await read()).toMatchObject({ value: 1 });
  expect(source.state.failure).toContain('the connection');
  await servers[1].stop();
  await expect(read()).rejects.toThrow('the connection');
  source.close();
});

test('a source that hangs delays no values of others, and is not asked again for what others have read', async () => {
  const servers = [await PvwsServer.start(), await PvwsServer.start()] as const;
  const open = (at: 0 | 1, timeoutMs: number) => new Pvws({ ...options, timeoutMs, url: servers[at].url });
  const [hungMs, absent] = [3_600_000, { missing: 'it did not answer within 1 s', code: 'unknown' }];
  servers[0].addNumber('first', 0);
  const behind = new CombinedLiveValues([open(0, 1_000), open(1, hungMs)]);
  for (let count = 0; count < 3; count++) {
    expect((await behind.read(['first'], signal)).get('first')).toMatchObject({ value: 0 });
  }
  expect(servers[1].received.map(({ type }) => type)).toEqual(['subscribe']);
  const readings = await behind.read(['first', 'absent'], signal);
  expect([readings.get('first'), readings.get('absent')]).toMatchObject([{ value: 0 }, absent]);
  behind.close();
  servers[1].addNumber('second', 1);
  const ahead = new CombinedLiveValues([open(0, hungMs), open(1, 1_000)]);
  expect((await ahead.read(['second'], signal)).get('second')).toMatchObject({ value: 1 });
  ahead.close();
  await Promise.all(servers.map((server) => server.stop()));
});

describe('what PVWS sends', () => {
  let server: PvwsServer;
  let source: Pvws;
  beforeAll(async () => {
    server = await PvwsServer.start();
    source = new Pvws({ ...options, url: server.url });
  });
  afterAll(async () => {
    source.close();
    await server.stop();
  });
  const time = timeOf(1_764_104_400_500);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer).toString('base64');

  test.each([
    ['text of “ö”', [{ ...time, severity: 'NONE', text: 'Beam' }], { value: 'Beam' }],
    ['an enumeration', [{ ...time, severity: 'MINOR', value: 1, text: 'Open' }], { value: 'Open', severity: 'MINOR' }],
    ['NaN', [{ ...time, severity: 'INVALID', value: 'NaN' }], { value: Number.NaN }],
    ['an infinite number', [{ ...time, severity: 'NONE', value: '-Infinity' }], { value: Number.NEGATIVE_INFINITY }],
    [
      'an array',
      [{ ...time, severity: 'NONE', b64dbl: base64(new Uint8Array(Float64Array.of(1.5, -2).buffer)) }],
      { value: [1.5, -2] },
    ],
    [
      'metadata first, and the value later',
      [
        { readonly: true, units: ' mA ', precision: 2, severity: 'MAJOR' },
        { ...time, value: 4 },
      ],
      { value: 4, units: 'mA', precision: 2, severity: 'MAJOR', atMs: 1_764_104_400_500 },
    ],
    ['a severity that does not exist', [{ ...time, severity: 7, value: 4 }], { severity: 'UNDEFINED' }],
    ['an object', [{ ...time, severity: 'NONE', value: {} }], { missing: 'its value is of an unknown kind' }],
    ['an invalid time', [{ seconds: 'x', nanos: 0, value: 1 }], { missing: 'its time is wrong' }],
    ['a time before all times', [{ seconds: 0, nanos: 0, value: 1 }], { missing: 'its time is wrong' }],
    [
      'long units and states',
      [{ ...time, severity: 'NONE', value: 1, units: `m\nA${'x'.repeat(50_000)}`, labels: ['y'.repeat(50_000)] }],
      { units: expect.stringMatching(/^m Ax{37}…$/), display: { states: [expect.stringMatching(/^y{100}…$/)] } },
    ],
    [
      'a list of texts',
      [
        {
          ...time,
          vtype: undefined,
          text: 'VStringArray[[a, b], size [2], NONE(NONE) - NO_ALARM, 2026-11-29T22:45:00.035950Z]',
        },
      ],
      { value: '[a, b]' },
    ],
    [
      'a truth value',
      [{ ...time, vtype: undefined, text: 'VBoolean[true, NONE(NONE) - None, 2026-11-29T22:44:27.144Z]' }],
      { value: 'true' },
    ],
    [
      'a text that looks like one',
      [{ ...time, vtype: 'VString', text: 'VBoolean[true, ' }],
      { value: 'VBoolean[true, ' },
    ],
    ['an integer', [{ ...time, vtype: 'VInt', value: 7, precision: 3 }], { value: 7, precision: undefined }],
    ['nothing but rights', [{ readonly: true }], { missing: 'it did not answer within 1 s' }],
  ])('%s', async (name, updates, expected) => {
    server.devices.set(name, () => updates);
    expect((await source.read([name], signal)).get(name)).toMatchObject(expected);
  });

  test('an integer of 64 bits keeps its digits', async () => {
    server.texts.set(
      'long',
      '{"type":"update","pv":"long","vtype":"VLong","readonly":true,"seconds":1764104400,"nanos":0,"value":9007199254740993}',
    );
    const reading = (await source.read(['long'], signal)).get('long');
    expect(reading).toMatchObject({ value: 9_007_199_254_740_992, exact: ['9007199254740993'] });
  });
});

test('an update of the previous subscription is not the value of the next read', async () => {
  const server = await PvwsServer.start();
  const source = new Pvws({ ...options, url: server.url });
  for (const value of [1, 2, 3]) {
    server.addNumber('SR:I', value, { units: 'mA', severity: 'MAJOR' });
    // The absent device lasts for the time limit, in which more updates arrive.
    const readings = await Promise.all([source.read(['SR:I'], signal), source.read(['SR:I', 'absent'], signal)]);
    for (const one of readings) {
      expect(one.get('SR:I')).toMatchObject({ value, units: 'mA', severity: 'MAJOR' });
    }
  }
  source.close();
  await server.stop();
});

test('a disconnected device is missing, and another source has its value; one that is connected has its NaN', async () => {
  const servers = [await PvwsServer.start(), await PvwsServer.start()] as const;
  for (const server of servers) server.addDisconnected('down');
  servers[0].addDisconnected('elsewhere');
  servers[1].addNumber('elsewhere', 4, { units: 'mA' });
  servers[0].addNumber('undefined', 'NaN', { severity: 'INVALID' });
  servers[0].addNumber('units', 'NaN', { severity: 'INVALID', units: 'mA', min: 'NaN', max: 'NaN' });
  servers[0].addNumber('no-alarm', 'NaN', { min: 'NaN', max: 'NaN' });
  const sources = servers.map(({ url }) => new Pvws({ ...options, url }));
  const names = ['down', 'elsewhere', 'undefined', 'units', 'no-alarm'];
  const source = new CombinedLiveValues(sources as [Pvws, Pvws]);
  const readings = await source.read(names, signal);
  expect(names.map((name) => readings.get(name))).toMatchObject([
    { missing: 'it is disconnected', code: 'unknown' },
    { value: 4, units: 'mA', severity: 'NONE' },
    { value: Number.NaN, severity: 'INVALID' },
    { value: Number.NaN, units: 'mA' },
    { value: Number.NaN, severity: 'NONE' },
  ]);
  source.close();
  await Promise.all(servers.map((server) => server.stop()));
});

test.each([
  ['a number', { value: 1 }, { value: 1 }],
  ['a text', { text: 'Beam' }, { value: 'Beam' }],
  ['a state', { value: 1, text: 'Open', labels: ['Closed', 'Open'] }, { value: 'Open', index: 1 }],
  ['an array', { b64int: Buffer.from(Int32Array.of(7).buffer).toString('base64') }, { value: [7] }],
  // The server sends it as a text, and no type.
  ['a table', { text: 'VTable[…]', vtype: undefined }, { value: 'VTable[…]' }],
])('%s is read whether its rights arrive with it or before it', async (_, fields, expected) => {
  const server = await PvwsServer.start();
  const source = new Pvws({ ...options, url: server.url });
  const value = { ...timeOf(1_764_104_400_500), severity: 'NONE', ...fields };
  server.devices.set('together', () => [value]);
  server.devices.set('apart', () => [{ readonly: false }, value]);
  for (let read = 0; read < 2; read++) {
    const readings = await source.read(['together', 'apart'], signal);
    for (const name of ['together', 'apart']) expect(readings.get(name)).toMatchObject(expected);
  }
  source.close();
  await server.stop();
});

test('a picture of several megabytes does not prevent reading the others', async () => {
  const server = await PvwsServer.start();
  const source = new Pvws({ ...options, timeoutMs: 60_000, url: server.url });
  server.addNumber('CAM:{"1"}', 0, { b64byt: 'A'.repeat(20_000_000) });
  // First a device whose name is not JSON.
  server.texts.set('CAM:{"1"}', `{"type":"update","pv":"\\q","b64byt":"${'A'.repeat(300_000)}"}`);
  server.addNumber('small', 7);
  const readings = await source.read(['CAM:{"1"}', 'small'], signal);
  expect(readings.get('CAM:{"1"}')).toEqual({ missing: 'its value is too large' });
  expect(readings.get('small')).toMatchObject({ value: 7 });
  source.close();
  await server.stop();
});

test('a server that has gone is left alone for a while, and is used again when it is back', async () => {
  const server = await PvwsServer.start();
  const { port, url } = server;
  const source = new Pvws({ ...options, url });
  server.addNumber('one', 1);
  await source.read(['one'], signal);
  await server.stop();
  await expect(source.read(['one'], signal)).rejects.toThrow('the connection');
  const again = await PvwsServer.start(port);
  again.addNumber('one', 2);
  await expect(source.read(['one'], signal)).rejects.toThrow('the connection');
  expect(source.state.failure).toContain('the connection');
  await expect.poll(() => source.read(['one'], signal).then((read) => read.get('one'))).toMatchObject({ value: 2 });
  expect(source.state.failure).toBeUndefined();
  source.close();
  await again.stop();
});
