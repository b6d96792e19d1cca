import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { readPlotFile } from '../../packages/control-system/read-plot-file.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { historyValuesJob } from '../../src/entries/device-values-job.js';
import type { Entry } from '../../src/entries/entry.js';
import { plotsJob } from '../../src/entries/plots-job.js';
import type { Job } from '../../src/kernel/background-job.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { Cluster } from '../fixtures/cluster.js';
import { entryDraft } from '../fixtures/entries.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { call } from '../fixtures/service.js';

const startMs = Date.now();
/** Two plots whose ranges have ended before the entry. */
const description = '```plot\nSR:I\n-80s..-70s\n```\n\n```plot\nSR:I\n-90s..-80s\n```\n';
const valuesOf = ({ properties }: Pick<Entry, 'properties'>) =>
  properties.filter(({ name }) => name === 'Device Values');
/** Whether an entry has all values: the archiver adds those that were not read live. */
const isWhole = (entry: Pick<Entry, 'properties'>) =>
  valuesOf(entry).some(({ attributes }) => !attributes.some(({ value }) => value?.startsWith('not available')));

describe.skipIf(!hasPostgres)('plots and values of devices on two nodes (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let archiver: ArchiverServer;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    archiver = await ArchiverServer.start();
    archiver.add('SR:I', {}, { atMs: startMs - 3_600_000, val: '400' });
    archiver.add('SR:PAST', {}, { atMs: startMs - 3_600_000, val: '300' });
  });
  afterEach(() => archiver.stop());

  /** Holds all answers with values, and those with ranges after this number. Returns a function that sends them. */
  function hold(ranges: number): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const last = archiver.ranges.length + ranges;
    archiver.gate = async (request) => {
      if (request === 'values' || archiver.ranges.length > last) await released;
    };
    return () => {
      archiver.gate = undefined;
      release();
    };
  }

  test('each entry has its values and plots once, also when the node that adds them ends by kill -9', async () => {
    const pvws = await PvwsServer.start();
    pvws.addNumber('SR:I', 7);
    const cluster = await Cluster.create(engine);
    const settings = { deviceNames: 'SR:*', archiverUrl: archiver.url, pvwsUrl: pvws.url };
    const start = (index: number) => cluster.start(index, { settings });
    const positions = async () => {
      const sql = `SELECT key FROM ${cluster.options.schema}.store WHERE key LIKE 'device_values_%'`;
      return (await engine.query(sql)).length;
    };
    const ids: number[] = [];
    const create = async (index: number, title: string) => {
      const json = { title, description, logbooks: [{ name: 'operations' }] };
      const { status, body } = await call(`${cluster.node(index).base}/logs`, { method: 'PUT', json });
      expect(status).toBe(200);
      ids.push((body as Entry).id);
    };
    const read = async (index: number, id: number) =>
      (await call(`${cluster.node(index).base}/logs/${id}`)).body as Entry;
    const lacking = async (index: number) => {
      const entries = await Promise.all(ids.map((id) => read(index, id)));
      return entries.filter((entry) => !isWhole(entry) || entry.attachments.length < 2).length;
    };
    /** The first node adds what belongs to entries of both; it ends after some of it. The other one adds the rest. */
    const endOneOf = async (working: number, other: number) => {
      const [ranges, requests] = [archiver.ranges.length, archiver.requested.length];
      const release = hold(5);
      for (let n = 0; n < 4; n++) {
        for (const index of [working, other]) await create(index, n % 2 === 0 ? 'SR:I' : 'SR:I with SR:PAST');
      }
      await expect.poll(() => archiver.ranges.length).toBeGreaterThan(ranges + 5);
      await expect.poll(() => archiver.requested.length).toBeGreaterThan(requests);
      await cluster.node(working).stop('SIGKILL');
      release();
      await expect.poll(() => lacking(other), { interval: 500 }).toBe(0);
    };
    try {
      await start(0);
      // This node has the lease of the job from now on.
      await expect.poll(positions).toBe(3);
      await start(1);
      await endOneOf(0, 1);
      await start(0);
      await endOneOf(1, 0);
      // The changes of the jobs precede this entry: once it has its data, they have been read again.
      await start(1);
      await create(1, 'SR:I');
      await expect.poll(() => lacking(0), { interval: 500 }).toBe(0);
      for (const id of ids) {
        const entry = await read(0, id);
        const [values, ...others] = valuesOf(entry);
        expect(others).toEqual([]);
        const found = values?.attributes.map(({ name, value }) => [name, value]) ?? [];
        const isLive = found.at(-1)?.[1]?.includes(', live');
        const past = entry.title.includes('SR:PAST') ? [['SR:PAST', expect.stringMatching(/^300/)]] : [];
        const current = isLive ? '7' : expect.stringMatching(/^400/);
        expect(found).toEqual([['SR:I', current], ...past, ['read', expect.any(String)]]);
        expect(new Set(entry.attachments.map(({ filename }) => filename)).size).toBe(2);
        expect(entry.attachments).toHaveLength(2);
        for (const file of entry.attachments) {
          const { text } = await call(`${cluster.node(0).base}/attachment/${file.id}`);
          expect(readPlotFile(text)?.curves).toMatchObject([{ name: 'SR:I', samples: [{ value: 400 }] }]);
        }
      }
    } finally {
      await cluster.stop();
      await pvws.stop();
    }
  });

  test('two nodes that add data at the same moment, since one has lost its lease, add it once', async () => {
    const options = engine.newOptions();
    await migratePostgres(options, silentLog, undefined);
    const nodes = [await engine.openIn(options), await engine.openIn(options)] as const;
    const [{ storage }] = nodes;
    const createdDate = startMs;
    const clock = { nowMs: () => createdDate + 10_000 };
    const dir = join(engine.dir, `files-${options.schema}`);
    const histories: ArchiverAppliance[] = [];
    const open = async (node: string, { storage: own }: (typeof nodes)[number]) => {
      const settings = { url: archiver.url, caCertificates: undefined, timeoutMs: 600_000 };
      const history = new ArchiverAppliance(settings);
      histories.push(history);
      const blobs = await openFileBlobStore({ dir, node });
      const deps = { storage: own, blobs, clock, deviceNames: new DeviceNames(['SR:*']) };
      return { plots: plotsJob(deps, history), values: historyValuesJob(deps, history) };
    };
    const jobs = [await open('one', nodes[0]), await open('two', nodes[1])] as const;
    const { signal } = new AbortController();
    const toIdle = async (job: Job) => {
      while ((await job.run(signal)) === 'more');
    };
    try {
      for (const { plots, values } of jobs) {
        await toIdle(plots);
        await toIdle(values);
      }
      const entry = await storage.write(async (tx) => {
        const stored = await tx.entries.insert(entryDraft({ createdDate, source: description, devices: ['SR:I'] }));
        const change = { entryId: stored.id, revision: stored.revision, notify: false, atMs: createdDate } as const;
        await tx.feed.append({ kind: 'created', ...change });
        return stored;
      });
      const release = hold(0);
      const runs = jobs.flatMap(({ plots, values }) => [toIdle(plots), toIdle(values)]);
      // Both read before either has added anything.
      await expect.poll(() => [archiver.ranges.length, archiver.requested.length]).toEqual([2, 2]);
      release();
      const results = await Promise.allSettled(runs);
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
      for (const reason of reasons) expect(reason).toContain('another node has processed these changes');
      for (const { plots, values } of jobs) {
        await toIdle(plots);
        await toIdle(values);
      }
      const found = (await storage.committed.entries.find(entry.id))?.entry;
      expect(found && valuesOf(found)).toHaveLength(1);
      expect(found?.attachments).toHaveLength(2);
      const changes = await storage.committed.feed.listAfter(0, 100);
      // The entry, two plots, and its values.
      expect(changes).toHaveLength(4);
    } finally {
      for (const history of histories) history.close();
      for (const node of nodes) await node.storage.close();
    }
  });
});
