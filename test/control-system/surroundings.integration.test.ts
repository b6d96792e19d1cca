import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AlarmLogger } from '../../packages/control-system/alarm-logger.js';
import { ChannelFinder } from '../../packages/control-system/channel-finder.js';
import { SaveAndRestore } from '../../packages/control-system/save-and-restore.js';
import type { AlarmLog, Directory, SavedValues } from '../../packages/control-system/sources.port.js';
import { DirectoryNames } from '../../src/entries/directory-names.js';
import { alarmLogSuite } from '../contract/alarm-log.suite.js';
import { directorySuite } from '../contract/directory.suite.js';
import { savedValuesSuite } from '../contract/saved-values.suite.js';
import { makeCertificate } from '../directories/certificates.js';
import { startChannelFinder, type TestChannel } from '../fixtures/channel-finder-server.js';
import { JsonServer } from '../fixtures/json-server.js';
import { listening, portOf, stopServer } from '../fixtures/local-server.js';
import {
  startAlarmLogger,
  startSaveAndRestore,
  type TestAlarm,
  type TestSnapshot,
} from '../fixtures/phoebus-servers.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { TlsProxy } from '../fixtures/tls-proxy.js';

const options = { caCertificates: undefined, timeoutMs: 1_000 };
const { signal } = new AbortController();
const name = 'SR:V1{Valve}P';

describe('Channel Finder', () => {
  directorySuite(async () => {
    const channels = new Map<string, TestChannel>();
    const server = await startChannelFinder(channels);
    const source = new ChannelFinder({ ...options, url: `${server.url}/` });
    return {
      source,
      add: (one, { owner, properties, tags }) =>
        channels.set(one, {
          ...{ owner, tags },
          properties: Object.fromEntries(properties.map((property) => [property.name, property.value])),
        }),
      async destroy() {
        source.close();
        await server.stop();
      },
    };
  });
});

describe('the alarm logger', () => {
  alarmLogSuite(async () => {
    const alarms: TestAlarm[] = [];
    const server = await startAlarmLogger(alarms);
    const source = new AlarmLogger({ ...options, url: server.url });
    return {
      source,
      add: (pv, { atMs, severity }) =>
        alarms.push({ pv, severity, time: new Date(atMs).toISOString().replace('T', ' ').replace('Z', '') }),
      async destroy() {
        source.close();
        await server.stop();
      },
    };
  });
});

describe('save-and-restore', () => {
  savedValuesSuite(async () => {
    const snapshots: TestSnapshot[] = [];
    const server = await startSaveAndRestore(snapshots);
    const source = new SaveAndRestore({ ...options, url: server.url });
    return {
      source,
      add: (snapshot) => snapshots.push(snapshot),
      async destroy() {
        source.close();
        await server.stop();
      },
    };
  });
});

describe('saved values of a slow service', () => {
  const snapshots = Array.from({ length: 10 }, (_, at) => ({
    ...{ id: `s${at}`, name: 'x', createdMs: at + 1 },
    values: { [name]: { value: at, units: '' } },
  }));
  const latest = async (timeoutMs: number, slow: (url: string, respond: () => unknown) => void) => {
    const server = await startSaveAndRestore(snapshots);
    const { url: target } = server;
    const proxy = createServer(({ url = '' }, response) => {
      const respond = async () => response.end(await (await fetch(new URL(url, target))).text());
      slow(url, () => respond().catch(() => response.destroy()));
    });
    await listening(proxy);
    const source = new SaveAndRestore({ ...options, timeoutMs, url: `http://127.0.0.1:${portOf(proxy)}/save-restore` });
    const read = await source.latest(name, 10, signal).catch(({ message }: Error) => message);
    source.close();
    await Promise.all([stopServer(proxy), server.stop()]);
    return read;
  };

  test('snapshots are read three at a time', async () => {
    const waiting: (() => unknown)[] = [];
    let left = snapshots.length;
    let most = 0;
    const read = await latest(60_000, (url, respond) => {
      if (!url.includes('/snapshot/')) respond();
      else if (waiting.push(respond) === Math.min(3, left)) {
        left -= waiting.length;
        for (const one of waiting.splice(0)) one();
      }
      most = Math.max(most, waiting.length);
    });
    const values = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((at) => ({ id: `s${at}`, value: String(at) }));
    expect(read).toMatchObject({ values, isCut: false });
    expect(most).toBeLessThan(3);
  });

  test('it is stated that values which were not read in time are missing', async () => {
    const read = await latest(2_000, (url, respond) => {
      if (url.includes('/snapshot/')) setTimeout(respond, 1_300);
      else respond();
    });
    expect(read).toMatchObject({ values: { 0: { id: 's9' } }, isCut: true });
  });

  test('no answer is awaited for longer than two requests may take', async () => {
    expect(await latest(1_000, (_url, respond) => setTimeout(respond, 700))).toContain('no answer within');
  });
});

describe('saved values in many configurations', () => {
  const snapshotsIn = (configuration: string, count: number, createdMs: number): TestSnapshot[] =>
    Array.from({ length: count }, (_, at) => ({
      ...{ id: `${configuration}-${at}`, name: 'x', configuration, createdMs: createdMs + at },
      values: { [name]: { value: at, units: '' } },
    }));
  const latest = async (snapshots: readonly TestSnapshot[]) => {
    const server = await startSaveAndRestore(snapshots);
    const source = new SaveAndRestore({ ...options, timeoutMs: 60_000, url: server.url });
    const read = await source.latest(name, 10, signal);
    const { failure } = source.state;
    source.close();
    await server.stop();
    if ('missing' in read) throw new Error(read.missing);
    return { ids: read.values.map(({ id }) => id), isCut: read.isCut, failure };
  };
  const names = ['Arc', 'Booster', 'Linac', 'Ring', 'Weekly'];

  test('the newest values are those of all configurations, and one may have thousands of snapshots', async () => {
    const few = names.map((one, at) => snapshotsIn(one, 2, 1_000 * (at + 1)));
    expect(await latest(few.flat())).toMatchObject({ ids: { 0: 'Weekly-1', 9: 'Arc-0' }, isCut: false });
    const many = await latest([...snapshotsIn('Arc', 4_000, 1), ...snapshotsIn('Ring', 4, 5_000)]);
    expect(many).toMatchObject({ ids: { 0: 'Ring-3', 3: 'Ring-0', 4: 'Arc-3999', length: 10 }, isCut: true });
    expect(many.failure).toBeUndefined();
  });

  test('it is stated that values of other configurations may be missing', async () => {
    const more = Array.from({ length: 25 }, (_, at) => snapshotsIn(`C${String(at).padStart(2, '0')}`, 1, at + 1));
    expect((await latest(more.flat())).isCut).toBe(true);
    const tooMany = await latest([...snapshotsIn('Arc', 20_000, 1), ...snapshotsIn('Ring', 2, 5)]);
    expect(tooMany).toEqual({ ids: ['Ring-1', 'Ring-0'], isCut: true, failure: undefined });
  });
});

describe('wrong answers', () => {
  const id = '8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1';
  const sources = { directory: ChannelFinder, alarms: AlarmLogger, snapshots: SaveAndRestore };
  const reads = {
    directory: (source) => (source as unknown as Directory).find(name, signal),
    alarms: (source) => (source as unknown as AlarmLog).latest(name, { max: 20, range: undefined }, signal),
    snapshots: (source) => (source as unknown as SavedValues).snapshot(id, signal),
  } satisfies Record<keyof typeof sources, (source: ChannelFinder | AlarmLogger | SaveAndRestore) => Promise<unknown>>;
  const kinds = ['directory', 'alarms', 'snapshots'] as const;

  async function answered(kind: (typeof kinds)[number], answer: JsonServer['answer'], timeoutMs = 60_000) {
    const server = await JsonServer.start('', () => undefined);
    server.answer = answer;
    const source = new sources[kind]({ caCertificates: undefined, timeoutMs, url: server.url });
    const read = await reads[kind](source).catch((error: Error) => error.message);
    const { failure } = source.state;
    source.close();
    await server.stop();
    return { read, failure };
  }
  const sent = (answer: unknown): JsonServer['answer'] => {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return (response) => response.end(text);
  };

  test.each(kinds)(
    '%s: an answer that is cut off, an error, and none at all are failures of the source',
    async (kind) => {
      const failures: [JsonServer['answer'], string][] = [
        [sent('[{"name":'), 'a complete answer'],
        [sent(''), 'a complete answer'],
        [sent('<html>Sign in</html>'), 'a complete answer'],
        [(response) => response.writeHead(500).end('x'), 'status 500'],
        [(response) => response.writeHead(302, { location: '/' }).end(), 'status 302'],
        [(response) => response.destroy(), 'the connection failed'],
      ];
      for (const [answer, reason] of failures) {
        const { read, failure } = await answered(kind, answer);
        expect(read).toContain(reason);
        expect(failure).toContain(reason);
      }
      // It begins and never ends.
      const { failure } = await answered(kind, (response) => response.write('['), 500);
      expect(failure).toBe('no answer within 0.5 s');
    },
  );

  test.each([
    ['directory', [1]],
    ['alarms', { pv: name }],
    ['snapshots', [1]],
    ['snapshots', { snapshotItems: 'none' }],
  ] as const)('%s: %j is no answer, and no failure', async (kind, answer) => {
    expect(await answered(kind, sent(answer))).toEqual({ read: { missing: expect.any(String) }, failure: undefined });
  });

  const huge = `[${'{},'.repeat(2_000_000)}{}]`;
  test.each([
    ['directory', 'failure'],
    ['alarms', 'failure'],
    // One snapshot says nothing about others.
    ['snapshots', 'missing'],
  ] as const)('%s: an answer with two million parts is not read: %s', async (kind, result) => {
    const { read, failure } = await answered(kind, sent(huge));
    expect(result === 'failure' ? failure : (read as { missing: string }).missing).toContain('too large');
    expect(failure === undefined).toBe(result === 'missing');
  });

  test('alarms with wrong types and times are empty texts, and nothing else is lost', async () => {
    const alarm = { pv: name, severity: 'MAJOR', message_time: '2026-06-12 03:12:01.123' };
    const wrong = { pv: name, severity: 'MINOR', message: { a: 1 }, value: 'NaN', message_time: 'soon', time: -1 };
    const { read } = await answered(
      'alarms',
      sent([null, 7, wrong, { pv: 8, severity: 'MAJOR' }, { pv: name }, alarm]),
    );
    const shown = { message: '', currentSeverity: '' };
    const alarms = [
      { ...shown, at: Date.UTC(2026, 5, 12, 3, 12, 1, 123), severity: 'MAJOR', value: '' },
      { ...shown, at: null, severity: 'MINOR', value: 'NaN' },
    ];
    expect(read).toEqual({ alarms, isCut: false });
  });

  test('saved values of unknown kinds say so, each on its own', async () => {
    const time = '"time":{"unixSec":1764104400,"nanoSec":5}';
    const item = (pv: string, value: string) => `{"configPv":{"pvName":"${pv}"},"value":${value}}`;
    const states = '"type":{"name":"VEnum","version":1},"enum":{"labels":["Closed","Open"]}';
    const { read } = await answered(
      'snapshots',
      sent(
        `{"snapshotItems":[null,7,{"configPv":{}},${[
          item('nan', `{"value":NaN,${time}}`),
          item('list', `{"value":[1,"NaN",-Infinity],${time}}`),
          item('state', `{"value":1,${states},${time},"alarm":{"severity":"MAJOR"}}`),
          item('odd state', `{"value":7,${states},${time},"alarm":{"severity":"?"}}`),
          item('long', `{"value":9007199254740993,${time}}`),
          item('object', `{"value":{},${time}}`),
          item('no time', '{"value":1,"time":{"unixSec":-1}}'),
          item('absent', 'null'),
        ].join()}]}`,
      ),
    );
    const missing = { missing: expect.any(String) };
    expect(read).toMatchObject([
      { name: 'nan', saved: { value: Number.NaN, severity: 'NONE', atMs: 1_764_104_400_000 } },
      { name: 'list', saved: { value: [1, Number.NaN, Number.NEGATIVE_INFINITY] } },
      { name: 'state', saved: { value: 'Open', index: 1, severity: 'MAJOR' } },
      { name: 'odd state', saved: { value: 7, index: 7, severity: 'UNDEFINED' } },
      { name: 'long', saved: { exact: ['9007199254740993'] } },
      { name: 'object', saved: missing },
      { name: 'no time', saved: missing },
      { name: 'absent', saved: { ...missing, code: 'empty' } },
    ]);
  });
});

describe('the Phoebus services', () => {
  let servers: JsonServer[];
  let urls: { readonly alarmLoggerUrl: string; readonly saveAndRestoreUrl: string; readonly channelFinderUrl: string };
  beforeAll(async () => {
    const snapshot = (at: number, values: object) =>
      ({ id: `s${at}`, name: `Snapshot ${at}`, createdMs: 1_764_104_400_000 + at, values }) as never;
    const value = { [name]: { value: 2.5e-9, units: 'mbar' }, 'SR:other': { value: 'NaN', units: '' } };
    const channel = { owner: 'o', properties: { iocName: 'ioc1' } };
    const alarm = (second: number, pv = name) =>
      ({ pv, severity: 'MAJOR', time: `2026-06-12 03:12:${String(second).padStart(2, '0')}.123` }) as const;
    servers = await Promise.all([
      startAlarmLogger([...Array.from({ length: 30 }, (_, at) => alarm(at)), alarm(40, `${name}2`)]),
      startSaveAndRestore([snapshot(1, value), snapshot(3, value), snapshot(2, { 'SR:other': value['SR:other'] })]),
      startChannelFinder(
        new Map([name, 'SR:V1{Valve}T', 'SR:V1{Valve}TEST'].map((one) => [one, { ...channel, tags: [] }] as const)),
      ),
    ]);
    const [alarmLoggerUrl = '', saveAndRestoreUrl = '', channelFinderUrl = ''] = servers.map(({ url }) => url);
    urls = { alarmLoggerUrl, saveAndRestoreUrl, channelFinderUrl };
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  test('alarms of a time are requested as such, and other servers send what they have', async () => {
    const logbook = await TestService.start({ deviceNames: 'SR:*', alarmLoggerUrl: urls.alarmLoggerUrl });
    const at = (second: number) => Date.UTC(2026, 5, 12, 3, 12, second, 123);
    const path = `/devices/${encodeURIComponent(name)}/alarms`;
    const { status, body } = await logbook.get(`${path}?start=${at(3)}&end=${at(5)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name, start: at(3), end: at(5), isCut: false, problems: [] });
    expect(body.alarms.map((alarm: { at: number }) => alarm.at)).toEqual([at(5), at(4), at(3)]);
    const [server] = servers;
    if (!server) throw new Error('no server');
    expect(server.requested.at(-1)?.searchParams.get('start')).toBe(new Date(at(3)).toISOString());
    const minor = (ms: number) => ({ pv: name, severity: 'MINOR', message_time: new Date(ms).toISOString() });
    const [late, ...many] = Array.from({ length: 150 }, (_, back) => minor(at(5) + 1 - back));
    server.answer = (response) => response.end(JSON.stringify([late, ...many]));
    const { body: cut } = await logbook.get(`${path}?start=${at(4)}&end=${at(5)}`);
    expect([cut.isCut, cut.alarms.length, cut.alarms[0].at]).toEqual([true, 100, at(5)]);
    server.answer = (response) => response.destroy();
    const { body: failed } = await logbook.get(`${path}?start=${at(1)}&end=${at(2)}`);
    expect(failed).toMatchObject({ alarms: [], problems: [{ source: 'alarms', code: 'unavailable' }] });
    server.answer = undefined;
    expect((await logbook.get(`${path}?start=2026-01-02&end=2026-01-01`)).body.code).toBe('device.bad-range');
    expect((await logbook.get('/devices/BR:1/alarms')).body.code).toBe('device.not-found');
    await logbook.stop();
    const other = await TestService.start({ deviceNames: 'SR:*', channelFinderUrl: urls.channelFinderUrl });
    expect((await other.get(path)).body.code).toBe('device.no-alarms');
    await other.stop();
  });

  test('a name that the directory refuses stops requests for no other device', async () => {
    const { channelFinderUrl } = urls;
    const logbook = await TestService.start({ deviceNames: 'SR:*', channelFinderUrl });
    const directory = servers.find(({ url }) => url === channelFinderUrl);
    if (directory) directory.answer = (response) => response.writeHead(400).end();
    const { body } = await logbook.get('/devices/SR:a%5Cb');
    expect(body.problems).toMatchObject([{ source: 'directory', reason: 'it answered with status 400' }]);
    if (directory) directory.answer = undefined;
    const { body: other } = await logbook.get(`/devices/${encodeURIComponent(name)}`);
    expect([other.channel?.owner, other.problems]).toEqual(['o', []]);
    await logbook.stop();
  });

  test('names of the directory are recognised once it has been read', async () => {
    const channel = { owner: 'o', properties: {}, tags: [] };
    const listed = Array.from({ length: 120 }, (_, at) => [`IPM${at}.XPOS`, channel] as const);
    const directory = await startChannelFinder(new Map(listed));
    directory.answer = (response) => response.writeHead(500).end();
    const settings = { deviceNamesFromDirectory: 'true', deviceNames: '-IPM9*', channelFinderUrl: directory.url };
    const logbook = await TestService.start(settings);
    const title = 'IPM119.XPOS drifts, IPM7.XPOS and IPM9.XPOS do not';
    const devices = async () => (await logbook.create({ title })).devices;
    expect(await devices()).toBeUndefined();
    const health = (await (await fetch(`${logbook.origin}/readyz`)).json()) as { checks: object };
    expect(health.checks).toMatchObject({ controlSystem: { message: expect.stringContaining('channel-finder') } });
    directory.answer = undefined;
    await logbook.stop();
    const restarted = await TestService.start(settings);
    const found = async () => (await restarted.create({ title })).devices;
    await expect.poll(found).toEqual(['IPM119.XPOS', 'IPM7.XPOS']);
    expect((await restarted.get('/devices/IPM8.XPOS')).status).toBe(200);
    expect((await restarted.get('/devices/IPM200.XPOS')).status).toBe(404);
    await restarted.stop();
    await directory.stop();
  });

  test('names stay known while the directory has none', async () => {
    const channels = new Map([['IPM1.XPOS', { owner: 'o', properties: {}, tags: [] }]]);
    const directory = await startChannelFinder(channels);
    const source = new ChannelFinder({ ...options, url: directory.url });
    const names = new DirectoryNames(source);
    expect(await names.read(signal)).toEqual({ isCut: false });
    channels.clear();
    await expect(names.read(signal)).rejects.toThrow('it has no names');
    directory.answer = (response) => response.writeHead(404).end();
    await expect(names.read(signal)).rejects.toThrow('it has no names');
    expect(names.has('IPM1.XPOS')).toBe(true);
    source.close();
    await directory.stop();
  });

  test('an earlier directory, which sends no names after its first ones, is a problem; one with few names is none', async () => {
    const channel = { owner: 'o', properties: {}, tags: [] };
    const channels = new Map(Array.from({ length: 51 }, (_, at) => [`IPM${at}.XPOS`, channel] as const));
    const directory = await startChannelFinder(channels, { isEarlier: true });
    const source = new ChannelFinder({ ...options, url: directory.url });
    expect((await source.list(1_000, signal)).size).toBe(51);
    channels.set('IPM51.XPOS', channel);
    await expect(source.list(1_000, signal)).rejects.toThrow('it sends only its first names');
    source.close();
    await directory.stop();
  });

  test('a directory that repeats a page is not read forever', async () => {
    const directory = await startChannelFinder(new Map());
    const page = Array.from({ length: 51 }, (_, at) => ({ name: `IPM${at}.XPOS` }));
    directory.answer = (response) => response.end(JSON.stringify(page));
    const source = new ChannelFinder({ ...options, url: directory.url });
    await expect(source.list(1_000, signal)).rejects.toThrow('it sent the same names again');
    source.close();
    await directory.stop();
  });

  test('a device has what the sources know, and states which does not answer', async () => {
    const logbook = await TestService.start({ deviceNames: 'SR:*,-*TEST', ...urls });
    const path = `/devices/${encodeURIComponent(name)}`;
    const { body } = await logbook.get(path);
    expect(body.sources).toEqual(['directory', 'alarms', 'snapshots']);
    expect(body.channel).toEqual({ owner: 'o', properties: [{ name: 'iocName', value: 'ioc1' }], tags: [] });
    // Names that are excluded are not shown as neighbours.
    expect(body.neighbours).toEqual(['SR:V1{Valve}T']);
    expect([body.current, body.alarms.length, body.snapshots.length, body.problems]).toEqual([null, 20, 2, []]);
    const [alarmLogger] = servers;
    if (alarmLogger) alarmLogger.answer = (response) => response.destroy();
    expect([body.areAlarmsCut, body.areSnapshotsCut]).toEqual([true, false]);
    const { body: other } = await logbook.get('/devices/SR:other');
    expect(other.areAlarmsCut).toBe(false);
    expect(other.problems).toMatchObject([
      { source: 'directory', code: 'unknown' },
      { source: 'alarms', code: 'unavailable' },
    ]);
    expect(other.snapshots).toMatchObject([{ value: 'NaN' }, { value: 'NaN' }, { value: 'NaN' }]);
    const health = (await (await fetch(`${logbook.origin}/readyz`)).json()) as { checks: object };
    expect(health.checks).toMatchObject({ controlSystem: { status: 'warning' } });
    const metrics = await (await fetch(`${logbook.origin}/metrics`)).text();
    expect(metrics).toContain('logbook_control_system_up{source="alarm-logger"} 0');
    expect(metrics).toContain('logbook_control_system_up{source="channel-finder"} 1');
    await logbook.stop();
  });
});

test('servers with a certificate of the CA of the site are trusted, and no others', async () => {
  const dir = await makeTempDir();
  const certificate = await makeCertificate(dir, 'site.test', '127.0.0.1');
  const [pvws, channelFinder] = await Promise.all([
    PvwsServer.start(),
    startChannelFinder(new Map([[name, { owner: 'o', properties: {}, tags: [] }]])),
  ]);
  pvws.addNumber(name, 1);
  const proxies = await Promise.all([pvws, channelFinder].map(({ port }) => TlsProxy.start(port, certificate)));
  const [live, directory] = proxies.map(({ port }) => port);
  const urls = {
    pvwsUrl: `wss://127.0.0.1:${live}/pvws/pv`,
    channelFinderUrl: `https://127.0.0.1:${directory}/ChannelFinder`,
  };
  const read = async (controlSystemCaFile: string) => {
    const logbook = await TestService.start({ deviceNames: 'SR:*', ...urls, controlSystemCaFile });
    const { body } = await logbook.get(`/devices/${encodeURIComponent(name)}`);
    await logbook.stop();
    return body;
  };
  expect(await read(certificate.caFile)).toMatchObject({
    current: { value: 1 },
    channel: { owner: 'o' },
    problems: [],
  });
  const refused = await read('');
  expect([refused.current, refused.channel]).toEqual([null, null]);
  expect(refused.problems.map(({ code }: { code: string }) => code)).toEqual(['unavailable', 'unavailable']);
  await Promise.all([...proxies, pvws, channelFinder].map((one) => one.stop()));
});
