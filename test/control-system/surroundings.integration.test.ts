import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AlarmLogger } from '../../packages/control-system/alarm-logger.js';
import { ChannelFinder } from '../../packages/control-system/channel-finder.js';
import { SaveAndRestore } from '../../packages/control-system/save-and-restore.js';
import { directorySuite } from '../contract/directory.suite.js';
import { makeCertificate } from '../directories/certificates.js';
import { startChannelFinder, type TestChannel } from '../fixtures/channel-finder-server.js';
import type { JsonServer } from '../fixtures/json-server.js';
import { startAlarmLogger, startSaveAndRestore } from '../fixtures/phoebus-servers.js';
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

describe('the Phoebus services', () => {
  let servers: JsonServer[];
  let urls: { readonly alarmLoggerUrl: string; readonly saveAndRestoreUrl: string; readonly channelFinderUrl: string };
  beforeAll(async () => {
    const snapshot = (at: number, values: object) =>
      ({ id: `s${at}`, name: `Snapshot ${at}`, createdMs: 1_764_104_400_000 + at, values }) as never;
    const value = { [name]: { value: 2.5e-9, units: 'mbar' }, 'SR:other': { value: 'NaN', units: '' } };
    const alarm = (second: number, pv = name) =>
      ({ pv, severity: 'MAJOR', time: `2026-06-12 03:12:${String(second).padStart(2, '0')}.123` }) as const;
    servers = await Promise.all([
      startAlarmLogger([...Array.from({ length: 30 }, (_, at) => alarm(at)), alarm(40, `${name}2`)]),
      startSaveAndRestore([snapshot(1, value), snapshot(3, value), snapshot(2, { 'SR:other': value['SR:other'] })]),
      startChannelFinder(new Map([[name, { owner: 'o', properties: { iocName: 'ioc1' }, tags: [] }]])),
    ]);
    const [alarmLoggerUrl = '', saveAndRestoreUrl = '', channelFinderUrl = ''] = servers.map(({ url }) => url);
    urls = { alarmLoggerUrl, saveAndRestoreUrl, channelFinderUrl };
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  test('the latest alarms are those of the device alone, newest first', async () => {
    const source = new AlarmLogger({ ...options, url: urls.alarmLoggerUrl });
    const alarms = await source.latest(name, { max: 20, range: undefined }, signal);
    expect(alarms).toHaveLength(20);
    expect((alarms as readonly object[])[0]).toEqual({
      ...{ at: Date.UTC(2026, 5, 12, 3, 12, 29, 123), severity: 'MAJOR', message: 'HIHI_ALARM' },
      ...{ currentSeverity: 'NONE', value: '3e-6' },
    });
    source.close();
  });

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

  test('saved values are those of the device, newest first', async () => {
    const source = new SaveAndRestore({ ...options, url: urls.saveAndRestoreUrl });
    const saved = { id: 's3', name: 'Snapshot 3', at: 1_764_104_400_003, value: '2.5e-9 mbar' };
    const first = { ...saved, id: 's1', name: 'Snapshot 1', at: 1_764_104_400_001 };
    expect(await source.latest(name, 10, signal)).toEqual([saved, first]);
    expect(await source.latest('SR:none', 10, signal)).toEqual([]);
    source.close();
  });

  test.each<[string, JsonServer['answer'], string]>([
    ['an answer that is cut off', (response) => response.end('[{"name":'), 'a complete answer'],
    ['an error', (response) => response.writeHead(500).end('x'), 'status 500'],
    ['nothing', () => undefined, 'no answer within 1 s'],
    ['a million channels', (response) => response.end(`[${'{},'.repeat(1_000_000)}{}]`), 'too large'],
  ])('%s is a failure of the source', async (_, answer, reason) => {
    const [server] = servers.slice(-1);
    if (server) server.answer = answer;
    const source = new ChannelFinder({ ...options, url: urls.channelFinderUrl });
    await expect(source.find(name, signal)).rejects.toThrow(reason);
    expect(source.state.failure).toContain(reason);
    source.close();
    if (server) server.answer = undefined;
  });

  test('a device has what the sources know, and states which does not answer', async () => {
    const logbook = await TestService.start({ deviceNames: 'SR:*', ...urls });
    const path = `/devices/${encodeURIComponent(name)}`;
    const { body } = await logbook.get(path);
    expect(body.sources).toEqual(['directory', 'alarms', 'snapshots']);
    expect(body.channel).toEqual({ owner: 'o', properties: [{ name: 'iocName', value: 'ioc1' }], tags: [] });
    expect([body.current, body.alarms.length, body.snapshots.length, body.problems]).toEqual([null, 20, 2, []]);
    const [alarmLogger] = servers;
    if (alarmLogger) alarmLogger.answer = (response) => response.destroy();
    const { body: other } = await logbook.get('/devices/SR:other');
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
