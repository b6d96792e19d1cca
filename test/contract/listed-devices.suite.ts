import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { Pvws } from '../../packages/control-system/pvws.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { historyValuesJob, liveValuesJob } from '../../src/entries/device-values-job.js';
import type { Entry } from '../../src/entries/entry.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { entryDraft, logbook } from '../fixtures/entries.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { runJob } from '../fixtures/run-job.js';
import { deviceValuesOf, editStored } from '../fixtures/stored-values.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const createdDate = 1_764_104_400_000;
const moment = `${new Date(createdDate).toISOString()}, archiver`;
const none = 'not available: the archiver has no value of it';
const operations = [logbook('operations')];
const magnets = [logbook('Magnets')];

/** Requirements of every storage for the values of devices that the logbooks of an entry list. */
export function listedDevicesSuite({ open }: StorageEngine): void {
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
    const limits = { timeoutMs: 60_000, toleratedFailures: Number.POSITIVE_INFINITY };
    history = new ArchiverAppliance({ url: archiver.url, caCertificates: undefined, ...limits });
    for (const name of ['SR:A', 'SR:B', 'SR:TEST1']) archiver.add(name, {}, { atMs: createdDate - 1, val: '1' });
    await list('Magnets', ['SR:B', 'SR:A', 'SR:TEST1']);
    await runLive();
    await run();
  });
  afterEach(async () => {
    live.close();
    history.close();
    await Promise.all([opened.destroy(), pvws.stop(), archiver.stop()]);
  });

  const deviceNames = new DeviceNames(['SR:*', '-SR:TEST*']);
  const deps = () => ({ storage: opened.storage, clock: { nowMs: () => nowMs }, deviceNames });
  const run = () => runJob(historyValuesJob(deps(), history));
  const runLive = () => runJob(liveValuesJob(deps(), live, true));
  const list = (name: string, devices: readonly string[]) =>
    opened.storage.write((tx) => tx.catalog.put('logbooks', { ...logbook(name), devices }));
  const create = (fields: Partial<Entry>) =>
    opened.storage.write(async (tx) => {
      const { id: entryId, revision } = await tx.entries.insert(entryDraft({ createdDate, ...fields }));
      await tx.feed.append({ kind: 'created', entryId, revision, notify: false, atMs: nowMs });
      return entryId;
    });
  const edit = (id: number, fields: Partial<Entry>) => editStored(opened.storage, id, fields, nowMs);
  const find = async (id: number) => (await opened.storage.committed.entries.find(id))?.entry as Entry;
  const valuesOf = (id: number) => deviceValuesOf(opened.storage, id);
  const kinds = async () => (await opened.storage.committed.feed.listAfter(0, 100)).map(({ kind }) => kind);

  test('an entry receives live values of its names and of the list once, without those that are excluded', async () => {
    for (const name of ['SR:A', 'SR:B', 'SR:C', 'SR:TEST1']) pvws.addNumber(name, 2);
    const id = await create({ logbooks: [...operations, ...magnets], devices: ['SR:C', 'SR:A'] });
    const other = await create({ logbooks: operations });
    await runLive();
    await runLive();
    nowMs += 5_000;
    await run();
    expect(await valuesOf(id)).toEqual([
      ['SR:C', '2'],
      ['SR:A', '2'],
      ['SR:B', '2'],
      ['read', expect.stringContaining('live')],
    ]);
    expect(await valuesOf(other)).toBeUndefined();
    expect(await kinds()).toEqual(['created', 'created', 'annotated']);
    expect(archiver.requested).toEqual([]);
    // The list says nothing about what the entry names.
    expect((await find(id)).devices).toEqual(['SR:C', 'SR:A']);
  });

  test('an entry that names no device receives archived values, also of its past events', async () => {
    const trip = { name: 'trip', instant: createdDate - 3_600_000 };
    archiver.add('SR:B', {}, { atMs: trip.instant - 1, val: '7' }, { atMs: createdDate - 1, val: '1' });
    const id = await create({ logbooks: magnets, events: [trip] });
    nowMs += 5_000;
    await run();
    await run();
    expect(await valuesOf(id)).toEqual([
      ['SR:B', '1'],
      ['SR:A', '1'],
      ['read', moment],
    ]);
    const { properties, devices } = await find(id);
    const atEvents = properties.find(({ name }) => name === 'Device Values at Events');
    expect(atEvents?.attributes.map(({ value }) => value)).toEqual(['7', none]);
    expect(devices).toBeUndefined();
    expect(await kinds()).toEqual(['created', 'annotated']);
  });

  test('an edit that moves an entry into the logbook adds values; other edits add none, even if the list has changed', async () => {
    const id = await create({ logbooks: operations, devices: ['SR:C'] });
    const old = await create({ logbooks: magnets });
    nowMs += 5_000;
    await run();
    await edit(id, { logbooks: magnets });
    await run();
    const moved = [
      ['SR:C', none],
      ['SR:B', '1'],
      ['SR:A', '1'],
      ['read', moment],
    ];
    expect(await valuesOf(id)).toEqual(moved);
    await list('Magnets', ['SR:A', 'SR:B', 'SR:D']);
    await edit(id, { title: 'other' });
    await edit(old, { title: 'other' });
    await run();
    expect(await valuesOf(id)).toEqual(moved);
    expect(await valuesOf(old)).toHaveLength(3);
  });

  test('a device that is removed from the list while its value is read is not added', async () => {
    const id = await create({ logbooks: magnets });
    nowMs += 5_000;
    archiver.gate = async () => {
      archiver.gate = undefined;
      await list('Magnets', ['SR:A']);
    };
    await run();
    expect(await valuesOf(id)).toEqual([
      ['SR:A', '1'],
      ['read', moment],
    ]);
  });

  test('an entry receives values of at most 100 devices, first of those that it names', async () => {
    const names = (prefix: string) => Array.from({ length: 100 }, (_, at) => `SR:${prefix}${at}`);
    await list('Magnets', names('M'));
    const id = await create({ logbooks: magnets, devices: names('N').slice(0, 60) });
    nowMs += 5_000;
    await run();
    const found = (await valuesOf(id))?.map(([name]) => name);
    expect(found).toEqual([...names('N').slice(0, 60), ...names('M').slice(0, 40), 'read']);
  });
}
