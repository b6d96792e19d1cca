import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { historyValuesJob } from '../../src/entries/device-values-job.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { entryDraft } from '../fixtures/entries.js';
import { runJob } from '../fixtures/run-job.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const createdDate = 1_764_104_400_000;
const trip = { name: 'trip', instant: createdDate - 3_600_000 };
const iso = (ms: number) => new Date(ms).toISOString();

/** Requirements of every storage for the values that devices had at the events of an entry. */
export function eventValuesSuite({ open }: StorageEngine): void {
  let opened: OpenStorage;
  let archiver: ArchiverServer;
  let history: ArchiverAppliance;
  let nowMs = createdDate;
  beforeEach(async () => {
    nowMs = createdDate;
    [opened, archiver] = await Promise.all([open(), ArchiverServer.start()]);
    const limits = { timeoutMs: 60_000, toleratedFailures: Number.POSITIVE_INFINITY };
    history = new ArchiverAppliance({ url: archiver.url, caCertificates: undefined, ...limits });
    await run();
  });
  afterEach(async () => {
    history.close();
    await Promise.all([opened.destroy(), archiver.stop()]);
  });

  const deviceNames = new DeviceNames(['SR:*']);
  const openJob = () =>
    historyValuesJob({ storage: opened.storage, clock: { nowMs: () => nowMs }, deviceNames }, history);
  const run = (job = openJob()) => runJob(job);
  async function create(fields: Parameters<typeof entryDraft>[0]): Promise<number> {
    const id = await opened.storage.write(async (tx) => {
      const stored = await tx.entries.insert(entryDraft({ createdDate, devices: ['SR:V1'], ...fields }));
      const change = { entryId: stored.id, revision: stored.revision, notify: false, atMs: nowMs } as const;
      await tx.feed.append({ kind: 'created', ...change });
      return stored.id;
    });
    nowMs += 5_000;
    return id;
  }
  const find = async (id: number) => {
    const stored = await opened.storage.committed.entries.find(id);
    const named = (wanted: string) =>
      stored?.entry.properties
        .filter(({ name }) => name === wanted)
        .map(({ attributes }) => attributes.map(({ name, value }) => [name, value]));
    return { stored, values: named('Device Values'), atEvents: named('Device Values at Events') };
  };
  const kinds = async () => (await opened.storage.committed.feed.listAfter(0, 100)).map(({ kind }) => kind);

  test('an entry has the values of its devices at its creation and at each past event, added once and together', async () => {
    archiver.add(
      'SR:V1',
      { EGU: 'mbar' },
      { atMs: trip.instant - 7_200_000, val: '1', severity: 2 },
      { atMs: trip.instant + 1, val: '2' },
      { atMs: createdDate - 1, val: '3' },
    );
    const later = { name: 'recovered', instant: trip.instant + 1 };
    const id = await create({ devices: ['SR:V1', 'SR:none'], events: [trip, later] });
    await run();
    await run();
    const { stored, values, atEvents } = await find(id);
    const none = 'not available: the archiver has no value of it';
    expect(values).toEqual([
      [
        ['SR:V1', '3 mbar'],
        ['SR:none', none],
        ['read', `${iso(createdDate)}, archiver`],
      ],
    ]);
    expect(atEvents).toEqual([
      [
        [`SR:V1 at ${iso(trip.instant)} (trip)`, `1 mbar (MAJOR) (sampled ${iso(trip.instant - 7_200_000)})`],
        [`SR:none at ${iso(trip.instant)} (trip)`, none],
        [`SR:V1 at ${iso(later.instant)} (recovered)`, '2 mbar'],
        [`SR:none at ${iso(later.instant)} (recovered)`, none],
      ],
    ]);
    expect(stored).toMatchObject({ revision: 2, entry: { version: 1, modifyDate: null } });
    expect(await kinds()).toEqual(['created', 'annotated']);
    // An old time would look like a delay of years to everything that reads the feed.
    expect((await opened.storage.committed.feed.listAfter(0, 100)).at(-1)).toMatchObject({ atMs: nowMs });
  });

  test.each([
    ['without a device', { devices: undefined, events: [trip] }],
    ['without an event', { events: [] }],
    ['whose event is in the future', { events: [{ name: 'beam', instant: createdDate + 1 }] }],
    ['whose event is before all archivers', { events: [{ name: 'once', instant: -1 }] }],
  ])('an entry %s receives no values at events', async (_, fields) => {
    archiver.add('SR:V1', {}, { atMs: 1, val: '1' });
    const id = await create(fields);
    await run();
    expect((await find(id)).atEvents).toEqual([]);
  });

  test('events and devices beyond the limits are counted, and edits may keep all names', async () => {
    const devices = Array.from({ length: 23 }, (_, at) => `SR:V${at}`.padEnd(200, 'x'));
    for (const name of devices) archiver.add(name, {}, { atMs: 1, val: '1' });
    const events = Array.from({ length: 7 }, (_, at) => ({ name: `${at}`.repeat(255), instant: trip.instant + at }));
    const id = await create({ devices, events: [...events, { name: 'same', instant: trip.instant }] });
    await run();
    const [attributes = []] = (await find(id)).atEvents ?? [];
    expect(attributes).toHaveLength(101);
    expect(attributes.at(-1)).toEqual(['left out', 'events: 2, devices: 3']);
    expect(Math.max(...attributes.map(([name]) => name?.length ?? 0))).toBeLessThanOrEqual(255);
    expect(archiver.requested.map((names) => names.length)).toEqual([23, 20, 20, 20, 20, 20]);
  });

  test('values at an event wait for an archiver that fails, and those of others are kept', async () => {
    archiver.add(
      'SR:V1',
      {},
      { atMs: trip.instant - 2, val: '1' },
      { atMs: trip.instant, val: '[1,' },
      { atMs: createdDate, val: '3' },
    );
    const before = { name: 'before', instant: trip.instant - 1 };
    const id = await create({ events: [before, trip] });
    const job = openJob();
    await expect(run(job)).rejects.toThrow('complete answer');
    const known = [`SR:V1 at ${iso(before.instant)} (before)`, '1'];
    expect((await find(id)).atEvents).toEqual([[known]]);
    archiver.add('SR:V1', {}, { atMs: trip.instant - 2, val: '1' }, { atMs: trip.instant, val: '2' });
    await run(job);
    await run();
    expect((await find(id)).atEvents).toEqual([[known, [`SR:V1 at ${iso(trip.instant)} (trip)`, '2']]]);
    expect(await kinds()).toEqual(['created', 'annotated', 'annotated']);
  });

  test('an entry that another node has given its values in the meantime has them once', async () => {
    archiver.add('SR:V1', {}, { atMs: trip.instant, val: '2' });
    const id = await create({ events: [trip] });
    archiver.gate = async () => {
      archiver.gate = undefined;
      await run();
    };
    await expect(run()).rejects.toThrow('another node');
    await run();
    expect((await find(id)).atEvents).toEqual([[[`SR:V1 at ${iso(trip.instant)} (trip)`, '2']]]);
    expect(await kinds()).toEqual(['created', 'annotated']);
  });
}
