import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { Pvws } from '../../packages/control-system/pvws.js';
import type { Readings } from '../../packages/control-system/sources.port.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { historyValuesJob, liveValuesJob } from '../../src/entries/device-values-job.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { collect } from '../fixtures/collect.js';
import { entryDraft, property } from '../fixtures/entries.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { runJob } from '../fixtures/run-job.js';
import { makeTempDir } from '../fixtures/service.js';
import { principal } from '../fixtures/sessions.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const devices = ['SR:DCCT{1}I', 'SR:V1'];
const createdDate = 1_764_104_400_000;

/** Requirements of every storage for the values of devices, which two jobs add to entries. */
export function deviceValuesSuite({ open }: StorageEngine): void {
  let opened: OpenStorage;
  let pvws: PvwsServer;
  let archiver: ArchiverServer;
  let live: Pvws;
  let history: ArchiverAppliance;
  let nowMs = createdDate;
  beforeEach(async () => {
    nowMs = createdDate;
    [opened, pvws, archiver] = await Promise.all([open(), PvwsServer.start(), ArchiverServer.start()]);
    live = new Pvws({ url: pvws.url, caCertificates: undefined, timeoutMs: 1_500 });
    openHistory({ timeoutMs: 1_000, toleratedFailures: 3 });
    await run('live');
    await run('history');
  });
  afterEach(async () => {
    live.close();
    history.close();
    await Promise.all([opened.destroy(), pvws.stop(), archiver.stop()]);
  });

  async function run(
    stage: 'live' | 'history',
    { hasHistory = true, job = openJob(stage, hasHistory) } = {},
  ): Promise<void> {
    await runJob(job);
  }
  function openJob(stage: 'live' | 'history', hasHistory = true) {
    const deps = { storage: opened.storage, clock: { nowMs: () => nowMs }, deviceNames: new DeviceNames(['SR:*']) };
    return stage === 'live' ? liveValuesJob(deps, live, hasHistory) : historyValuesJob(deps, history);
  }
  function openHistory(limits = { timeoutMs: 60_000, toleratedFailures: Number.POSITIVE_INFINITY }) {
    history = new ArchiverAppliance({ url: archiver.url, caCertificates: undefined, ...limits });
  }
  /** Opens the archiver again, with a longer time-out, and with attempts without pauses. */
  function reopenHistory() {
    history.close();
    openHistory();
  }
  const create = (fields: Parameters<typeof entryDraft>[0] = {}) =>
    opened.storage.write(async (tx) => {
      const stored = await tx.entries.insert(entryDraft({ createdDate, devices, ...fields }));
      const change = { entryId: stored.id, revision: stored.revision, notify: false, atMs: createdDate } as const;
      await tx.feed.append({ kind: 'created', ...change });
      return stored.id;
    });
  const valuesOf = async (id: number) => {
    const stored = await opened.storage.committed.entries.find(id);
    const found = stored?.entry.properties.filter(({ name }) => name === 'Device Values') ?? [];
    expect(found.length).toBeLessThan(2);
    return found[0]?.attributes.map(({ name, value }) => [name, value]);
  };
  const kinds = async () => (await opened.storage.committed.feed.listAfter(0, 100)).map(({ kind }) => kind);
  const iso = new Date(createdDate).toISOString();

  test('live values are added once, as a change that is not an edit', async () => {
    pvws.addNumber('SR:DCCT{1}I', 401.2345, { units: 'mA', precision: 1 });
    pvws.addNumber('SR:V1', 'NaN', { severity: 'INVALID' });
    const id = await create({ properties: [property('resource', { name: 'x' })] });
    const plain = await create({ devices: undefined });
    await run('live');
    await run('live');
    nowMs += 10_000;
    await run('history');
    expect(await valuesOf(id)).toEqual([
      ['SR:DCCT{1}I', '401.2 mA'],
      ['SR:V1', 'NaN (INVALID)'],
      ['read', `${iso}, live`],
    ]);
    expect(await valuesOf(plain)).toBeUndefined();
    const stored = await opened.storage.committed.entries.find(id);
    expect(stored).toMatchObject({ revision: 2, entry: { version: 1, modifyDate: null } });
    expect(stored?.entry.properties[0]).toMatchObject({ name: 'resource' });
    expect(await collect(opened.storage.committed.entries.listArchived(id))).toEqual([]);
    expect(await kinds()).toEqual(['created', 'created', 'annotated']);
    expect(archiver.requested).toEqual([]);
  });

  test('live values are kept, and what is not known live is added from the archiver, with the values of that moment', async () => {
    pvws.addNumber('SR:V1', 1);
    pvws.addDisconnected('SR:DCCT{1}I');
    const [before, after] = [
      { atMs: createdDate - 60_000, val: '400' },
      { atMs: createdDate + 1, val: '0' },
    ];
    for (const name of devices) archiver.add(name, { EGU: 'mA' }, before, after);
    const id = await create({ devices: [...devices, 'SR:none'] });
    await run('live');
    await run('history');
    // The archiver may not have the samples yet.
    expect(await valuesOf(id)).toEqual([
      ['SR:DCCT{1}I', 'not available: it is disconnected'],
      ['SR:V1', '1'],
      ['SR:none', 'not available: it did not answer within 1.5 s'],
      ['read', `${iso}, live`],
    ]);
    nowMs += 5_000;
    await run('history');
    await run('live');
    expect(await valuesOf(id)).toEqual([
      ['SR:DCCT{1}I', '400 mA'],
      ['SR:V1', '1'],
      ['SR:none', 'not available: the archiver has no value of it'],
      ['read', `${iso}, live; ${iso}, archiver`],
    ]);
    expect(archiver.requested).toEqual([['SR:DCCT{1}I', 'SR:none']]);
    expect(await kinds()).toEqual(['created', 'annotated', 'annotated']);
  });

  test('live values that are added while the archiver answers are kept', async () => {
    reopenHistory();
    pvws.addNumber('SR:V1', 1);
    for (const name of devices) archiver.add(name, {}, { atMs: createdDate - 1, val: '400' });
    const id = await create();
    nowMs += 5_000;
    archiver.gate = async () => {
      archiver.gate = undefined;
      nowMs = createdDate;
      await run('live');
    };
    await run('history');
    expect(await valuesOf(id)).toEqual([
      ['SR:DCCT{1}I', '400'],
      ['SR:V1', '1'],
      ['read', `${iso}, live; ${iso}, archiver`],
    ]);
  });

  test('an entry without live values waits for the archiver, which states the time of an old sample', async () => {
    const atMs = createdDate - 3_600_000;
    archiver.add('SR:DCCT{1}I', { EGU: 'mA' }, { atMs, val: '400', severity: 1 });
    archiver.add('SR:V1', {}, { atMs: atMs + 1, val: '2' });
    const id = await create();
    await run('live');
    expect(await valuesOf(id)).toBeUndefined();
    nowMs += 5_000;
    await run('history');
    expect(await valuesOf(id)).toEqual([
      ['SR:DCCT{1}I', `400 mA (MINOR) (sampled ${new Date(atMs).toISOString()})`],
      ['SR:V1', '2'],
      ['read', `${iso}, archiver`],
    ]);
    expect(await kinds()).toEqual(['created', 'annotated']);
  });

  test('a name that is removed from the entry while its value is read does not come back with it', async () => {
    archiver.add('SR:DCCT{1}I', {}, { atMs: createdDate - 1, val: '400' });
    const id = await create({ title: 'SR:V1', description: 'SR:DCCT{1}I' });
    nowMs += 5_000;
    const dir = await makeTempDir();
    const blobs = await openFileBlobStore({ dir });
    archiver.gate = async () => {
      archiver.gate = undefined;
      const parts = { title: true, text: false, properties: false, attachments: [] };
      const deps = { storage: opened.storage, blobs, clock: { nowMs: () => nowMs }, growingRuns: new GrowingRuns() };
      await redactEntry(deps, { entryId: id, parts, reason: 'secret', by: principal('admin', ['ADMIN']) });
    };
    await run('history').finally(() => rm(dir, { recursive: true, force: true }));
    expect(await valuesOf(id)).toEqual([
      ['SR:DCCT{1}I', '400'],
      ['read', `${iso}, archiver`],
    ]);
  });

  test('values wait for an archiver that is down, and are given up after a week', async () => {
    archiver.answer = (response) => response.writeHead(503).end();
    const id = await create();
    nowMs += 5_000;
    await expect(run('history')).rejects.toThrow('status 503');
    expect(await valuesOf(id)).toBeUndefined();
    nowMs += 7 * 86_400_000;
    await run('history');
    expect(await valuesOf(id)).toMatchObject([
      ['SR:DCCT{1}I', 'not available: the archiver answered with status 503'],
      ['SR:V1', 'not available: the archiver answered with status 503'],
      ['read', expect.anything()],
    ]);
  });

  test('an entry that was created while the clock was ahead is not held back, and waits for no archiver', async () => {
    const yearMs = 365 * 86_400_000;
    nowMs -= yearMs;
    archiver.answer = (response) => response.writeHead(503).end();
    const id = await create();
    await run('history');
    expect(await valuesOf(id)).toContainEqual([devices[0], 'not available: the archiver answered with status 503']);
  });

  test('entries for which the archiver fails delay no others, and are tried again', async () => {
    archiver.add('SR:V1', { EGU: 'mbar' }, { atMs: createdDate - 1, val: '2' });
    // The archiver cuts off its answer.
    archiver.add('SR:BAD', {}, { atMs: createdDate - 1, val: '[1,' });
    const bad = await create({ devices: ['SR:BAD'] });
    for (let at = 0; at < 2; at++) await create({ devices: ['SR:BAD'] });
    const good = await create({ devices: ['SR:V1'] });
    nowMs += 5_000;
    const job = openJob('history');
    const valuesAfterAttempt = async (id: number) => {
      await run('history', { job }).catch(({ message }: Error) => message);
      return valuesOf(id);
    };
    const read = [
      ['SR:V1', '2 mbar'],
      ['read', `${iso}, archiver`],
    ];
    await expect.poll(() => valuesAfterAttempt(good)).toEqual(read);
    const last = await create({ devices: ['SR:V1'] });
    await expect.poll(() => valuesAfterAttempt(last)).toEqual(read);
    expect(await valuesOf(bad)).toBeUndefined();
  });

  test('a device for which the archiver always fails is stated, and the others of the entry have their values', async () => {
    reopenHistory();
    archiver.add('SR:V1', { EGU: 'mbar' }, { atMs: createdDate - 1, val: '2' });
    archiver.add('SR:BAD', {}, { atMs: createdDate - 1, val: '[1,' });
    archiver.add('SR:V2', {}, { atMs: createdDate - 1, val: '3' });
    const id = await create({ devices: ['SR:V1', 'SR:BAD', 'SR:V2'] });
    nowMs += 5_000;
    const job = openJob('history');
    for (let attempts = 0; attempts < 30; attempts++) await run('history', { job }).catch(() => undefined);
    expect(await valuesOf(id)).toEqual([
      ['SR:V1', '2 mbar'],
      ['SR:BAD', expect.stringMatching('not available: the archiver sent something other')],
      ['SR:V2', '3'],
      ['read', `${iso}, archiver`],
    ]);
    expect(await kinds()).toEqual(['created', 'annotated']);
  });

  test('without an archiver, the entry says what is missing', async () => {
    pvws.addNumber('SR:V1', 1e-9, { units: 'mbar', precision: 2 });
    const id = await create();
    await run('live', { hasHistory: false });
    expect(await valuesOf(id)).toEqual([
      ['SR:DCCT{1}I', 'not available: it did not answer within 1.5 s'],
      ['SR:V1', '1e-9 mbar'],
      ['read', `${iso}, live`],
    ]);
    nowMs += 3_000;
    const old = await create();
    // Its values are read, but are not those of the older entry.
    await create({ createdDate: nowMs });
    await run('live', { hasHistory: false });
    expect(await valuesOf(old)).toMatchObject([
      ['SR:DCCT{1}I', 'not available: values of the past need an archiver, and none is configured'],
      ['SR:V1', 'not available: values of the past need an archiver, and none is configured'],
      ['read', expect.anything()],
    ]);
  });

  test('an entry that another node has given its values in the meantime has them once', async () => {
    for (const name of devices) pvws.addNumber(name, 1);
    const id = await create();
    const read = live.read.bind(live);
    // The other node is done between the request and the transaction of this one.
    live.read = async (names, given): Promise<Readings> => {
      const readings = await read(names, given);
      live.read = read;
      await run('live');
      return readings;
    };
    await expect(run('live')).rejects.toThrow('another node');
    await run('live');
    expect(await valuesOf(id)).toHaveLength(3);
    expect(await kinds()).toEqual(['created', 'annotated']);
  });

  test('many entries that name the same devices are one request for each batch', async () => {
    for (const name of devices) pvws.addNumber(name, 1);
    const ids: number[] = [];
    for (let count = 0; count < 120; count++) ids.push(await create());
    await run('live');
    for (const id of ids) expect(await valuesOf(id)).toHaveLength(3);
    expect(pvws.received.filter(({ type }) => type === 'subscribe').length).toBe(3);
  });
}
