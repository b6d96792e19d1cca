import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { Pvws } from '../../packages/control-system/pvws.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { historyValuesJob, liveValuesJob } from '../../src/entries/device-values-job.js';
import type { Entry } from '../../src/entries/entry.js';
import { listFormerDigests, redigestEntry } from '../../src/ledger/entry-digest.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { collect } from '../fixtures/collect.js';
import { entryDraft, property } from '../fixtures/entries.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { runJob } from '../fixtures/run-job.js';
import { deviceValuesOf, editStored } from '../fixtures/stored-values.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const createdDate = 1_764_104_400_000;
const moment = `${new Date(createdDate).toISOString()}, archiver`;
const none = 'not available: the archiver has no value of it';

/** Requirements of every storage for the archived values of devices that edits add to the names of an entry. */
export function editedDevicesSuite({ open }: StorageEngine): void {
  let opened: OpenStorage;
  let archiver: ArchiverServer;
  let history: ArchiverAppliance;
  let nowMs = createdDate;
  beforeEach(async () => {
    nowMs = createdDate;
    [opened, archiver] = await Promise.all([open(), ArchiverServer.start()]);
    const limits = { timeoutMs: 60_000, toleratedFailures: Number.POSITIVE_INFINITY };
    history = new ArchiverAppliance({ url: archiver.url, caCertificates: undefined, ...limits });
    for (const name of ['SR:A', 'SR:B', 'SR:C']) {
      archiver.add(name, {}, { atMs: createdDate - 1, val: '1' }, { atMs: createdDate + 1, val: '2' });
    }
    await run();
  });
  afterEach(async () => {
    history.close();
    await Promise.all([opened.destroy(), archiver.stop()]);
  });

  const deviceNames = new DeviceNames(['SR:*']);
  const deps = () => ({ storage: opened.storage, clock: { nowMs: () => nowMs }, deviceNames });
  const run = (job = historyValuesJob(deps(), history)) => runJob(job);
  async function create(fields: Partial<Entry>): Promise<number> {
    const id = await opened.storage.write(async (tx) => {
      const { id: entryId, revision } = await tx.entries.insert(entryDraft({ createdDate, ...fields }));
      await tx.feed.append({ kind: 'created', entryId, revision, notify: false, atMs: nowMs });
      return entryId;
    });
    nowMs += 5_000;
    return id;
  }
  const edit = (id: number, fields: Partial<Entry>) => editStored(opened.storage, id, fields, nowMs);
  const find = async (id: number) => (await opened.storage.committed.entries.find(id))?.entry as Entry;
  const valuesOf = (id: number) => deviceValuesOf(opened.storage, id);
  /** Expects that the ledger has the digest of each version, which follows from the stored ones. */
  const expectProven = async (id: number) => {
    const records = (await opened.storage.committed.ledger.listRecordsAfter(0, 100)).map(({ digest }) => digest);
    await edit(id, {});
    const versions = await opened.storage.write((tx) => collect(tx.redactions.listVersions(id)));
    const proven = versions.flatMap(({ entry, salts }) => [
      redigestEntry(entry, salts, null),
      ...listFormerDigests(entry, salts, [null]).flat(),
    ]);
    expect(proven.toSorted()).toEqual(records.toSorted());
  };
  const kinds = async () => (await opened.storage.committed.feed.listAfter(0, 200)).map(({ kind }) => kind);

  test('names that an edit adds receive the values of the creation, once, and other values stay as they are', async () => {
    const id = await create({ devices: ['SR:A', 'SR:none'] });
    await run();
    archiver.add('SR:A', {}, { atMs: createdDate - 1, val: '7' });
    archiver.add('SR:none', {}, { atMs: createdDate - 1, val: '7' });
    await edit(id, { devices: ['SR:B', 'SR:A', 'SR:none', 'SR:unknown'] });
    await run();
    const expected = [
      ['SR:A', '1'],
      ['SR:none', none],
      ['SR:B', '1'],
      ['SR:unknown', none],
      ['read', moment],
    ];
    expect(await valuesOf(id)).toEqual(expected);
    expect(await find(id)).toMatchObject({ version: 2, modifiedBy: 'user' });
    await edit(id, { title: 'other' });
    await run();
    expect(await valuesOf(id)).toEqual(expected);
    expect(await kinds()).toEqual(['created', 'annotated', 'edited', 'annotated', 'edited']);
    expect(archiver.requested).toEqual([
      ['SR:A', 'SR:none'],
      ['SR:B', 'SR:unknown'],
    ]);
  });

  test('an entry that named no device receives the property with the edit that names one', async () => {
    const id = await create({ devices: undefined, createdDate: createdDate - 86_400_000 });
    archiver.add('SR:A', {}, { atMs: createdDate - 86_400_001, val: '5' });
    await run();
    await edit(id, { devices: ['SR:A'] });
    await run();
    await run();
    const at = new Date(createdDate - 86_400_000).toISOString();
    expect(await valuesOf(id)).toEqual([
      ['SR:A', '5'],
      ['read', `${at}, archiver`],
    ]);
  });

  test('an edit that adds no name requests nothing, also if the entry has no values', async () => {
    const old = await opened.storage.write((tx) => tx.entries.insert(entryDraft({ createdDate, devices: ['SR:A'] })));
    await edit(old.id, { title: 'SR:A again' });
    const id = await create({ devices: ['SR:B'] });
    await run();
    // Clients send all properties in an edit, so this one has removed the values.
    await edit(id, { properties: [property('resource', { name: 'x' })] });
    await edit(id, { title: 'other' });
    await run();
    expect(await valuesOf(old.id)).toBeUndefined();
    expect(await valuesOf(id)).toBeUndefined();
    expect(archiver.requested).toEqual([['SR:B']]);
  });

  test('names of several edits that are processed together are added after the values of the creation', async () => {
    const pvws = await PvwsServer.start();
    pvws.addNumber('SR:A', 9);
    const live = new Pvws({ url: pvws.url, caCertificates: undefined, timeoutMs: 1_500 });
    await run(liveValuesJob(deps(), live, true));
    const trip = { name: 'trip', instant: createdDate - 3_600_000 };
    const id = await create({ devices: ['SR:A', 'SR:B'], events: [trip] });
    nowMs = createdDate;
    await run(liveValuesJob(deps(), live, true));
    live.close();
    await pvws.stop();
    await edit(id, { devices: ['SR:A', 'SR:B', 'SR:C'] });
    await edit(id, { devices: ['SR:A', 'SR:B', 'SR:C', 'SR:D'] });
    nowMs += 5_000;
    const sampleBefore = (ms: number, val: string) => ({ atMs: ms - 1, val });
    const atTrip = sampleBefore(trip.instant, '0');
    // The archiver cuts off the answer with the value at the creation.
    archiver.add('SR:B', {}, atTrip, sampleBefore(createdDate, '[1,'));
    const job = historyValuesJob(deps(), history);
    await expect(run(job)).rejects.toThrow('complete answer');
    expect((await valuesOf(id))?.map(([name]) => name)).toEqual(['SR:A', 'SR:B', 'read']);
    archiver.add('SR:B', {}, atTrip, sampleBefore(createdDate, '1'));
    await run(job);
    expect(await valuesOf(id)).toEqual([
      ['SR:A', '9'],
      ['SR:B', '1'],
      ['SR:C', '1'],
      ['SR:D', none],
      ['read', expect.stringMatching(/^[^;]*, live; [^;]*, archiver$/)],
    ]);
    await expectProven(id);
  });

  test('a name that was removed again, or redacted, while its value is read is not added', async () => {
    const id = await create({ devices: ['SR:A'] });
    await run();
    await edit(id, { devices: ['SR:A', 'SR:B', 'SR:C'] });
    archiver.gate = async () => {
      archiver.gate = undefined;
      await edit(id, { devices: ['SR:A', 'SR:C'] });
    };
    await run();
    expect(await valuesOf(id)).toEqual([
      ['SR:A', '1'],
      ['SR:C', '1'],
      ['read', moment],
    ]);
  });

  test('values wait for an archiver that is down; those that were given up are not requested by later edits', async () => {
    const id = await create({ devices: ['SR:A'] });
    await run();
    await edit(id, { devices: ['SR:A', 'SR:B'] });
    archiver.answer = (response) => response.writeHead(503).end();
    await expect(run()).rejects.toThrow('status 503');
    expect(await valuesOf(id)).toHaveLength(2);
    nowMs += 7 * 86_400_000;
    await run();
    archiver.answer = undefined;
    const { length } = archiver.requested;
    await edit(id, { title: 'other' });
    await run();
    expect(await valuesOf(id)).toContainEqual(['SR:B', 'not available: the archiver answered with status 503']);
    expect(archiver.requested).toHaveLength(length);
  });

  test('an entry has values of at most 100 devices, whatever names its edits add', async () => {
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `SR:${from + at}`);
    const id = await create({ devices: names(0, 90) });
    await run();
    await edit(id, { devices: names(50, 150) });
    await run();
    await edit(id, { devices: names(150, 250) });
    await run();
    const found = (await valuesOf(id))?.map(([name]) => name);
    expect(found).toEqual([...names(0, 100), 'read']);
  });

  test('the ledger proves each version to which values were added', async () => {
    const trips = [1, 2].map((hours) => ({ name: 'trip', instant: createdDate - hours * 3_600_000 }));
    const id = await create({ devices: undefined, events: trips });
    await edit(id, { devices: ['SR:A'] });
    await run();
    await edit(id, { devices: ['SR:A', 'SR:B'] });
    await run();
    await expectProven(id);
  });

  const missing = `${none}, and more`;
  test.each<[string, [string, string | null][]]>([
    [
      'several values of a device',
      [
        ['SR:A', 'p'],
        ['SR:A', 'q'],
        ['SR:B', missing],
        ['SR:B', missing],
      ],
    ],
    [
      'several moments',
      [
        ['SR:A', '1'],
        ['read', moment],
        ['read', 'by me'],
      ],
    ],
    [
      'an empty moment',
      [
        ['SR:A', '1'],
        ['read', ''],
      ],
    ],
    [
      'no moment',
      [
        ['SR:A', '1'],
        ['read', null],
      ],
    ],
    [
      'a moment before others',
      [
        ['read', moment],
        ['SR:A', 'x'],
        ['SR:A', missing],
      ],
    ],
  ])('values are added to a property that a client has given %s, as the ledger proves', async (_name, given) => {
    const attributes = given.map(([name, value]) => ({ name, value, state: 'Inactive' as const }));
    const properties = [{ name: 'Device Values', owner: '', state: 'Active' as const, attributes }];
    const id = await create({ devices: ['SR:A'], properties });
    await edit(id, { devices: ['SR:A', 'SR:B', 'SR:C'] });
    await run();
    expect(await valuesOf(id)).toContainEqual(['SR:C', '1']);
    await expectProven(id);
  });
}
