import { afterEach, beforeEach, expect, test } from 'vitest';
import { Pvws } from '../../packages/control-system/pvws.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { liveValuesJob } from '../../src/entries/device-values-job.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { entryDraft } from '../fixtures/entries.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const imported = 500;
const importMs = 1_764_104_400_000;
const signal = new AbortController().signal;
let opened: OpenStorage;
let pvws: PvwsServer;
let live: Pvws;
let nowMs = importMs;
beforeEach(async () => {
  nowMs = importMs;
  [opened, pvws] = await Promise.all([sqliteEngine.open(), PvwsServer.start()]);
  pvws.addNumber('SR:V1', 3);
  live = new Pvws({ url: pvws.url, caCertificates: undefined, timeoutMs: 60_000 });
});
afterEach(async () => {
  live.close();
  await Promise.all([opened.destroy(), pvws.stop()]);
});

/** Stores entries that were created at a time; returns the last one. */
const store = (count: number, createdDate: number) =>
  opened.storage.write(async (tx) => {
    let last = 0;
    for (let stored = 0; stored < count; stored++) {
      const { id: entryId, revision } = await tx.entries.insert(entryDraft({ createdDate, devices: ['SR:V1'] }));
      await tx.feed.append({ kind: 'created', entryId, revision, notify: false, atMs: nowMs });
      last = entryId;
    }
    return last;
  });
const openJob = (hasHistory: boolean) =>
  liveValuesJob(
    { storage: opened.storage, clock: { nowMs: () => nowMs }, deviceNames: new DeviceNames([]) },
    live,
    hasHistory,
  );
const valuesOf = async (id: number) =>
  (await opened.storage.committed.entries.find(id))?.entry.properties.map(({ attributes }) => attributes[0]?.value);

test('live values of a new entry do not wait for the entries of an import before it', async () => {
  const job = openJob(true);
  await job.run(signal);
  await store(imported, 1);
  nowMs += 60_000;
  const id = await store(1, nowMs);
  await job.run(signal);
  expect(await valuesOf(id)).toEqual(['3']);
});

test('without an archiver, entries of an import stay as they are, and a new one has live values', async () => {
  const job = openJob(false);
  await job.run(signal);
  const old = await store(imported, 1);
  const id = await store(1, nowMs);
  while ((await job.run(signal)) === 'more');
  expect(await valuesOf(old)).toEqual([]);
  expect(await valuesOf(id)).toEqual(['3']);
  const changes = await opened.storage.committed.feed.listAfter(0, 2 * imported);
  expect(changes.filter(({ kind }) => kind === 'annotated')).toHaveLength(1);
});
