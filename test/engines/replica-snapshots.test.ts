import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { snapshotSeed } from '../../src/app/replica-snapshots/begin-with-snapshot.js';
import { openSnapshotStore } from '../../src/app/replica-snapshots/open-snapshot-store.js';
import { type ReplicaSnapshotDeps, ReplicaSnapshots } from '../../src/app/replica-snapshots/replica-snapshots.js';
import { readStoredChecksums, writeBlobStoreId } from '../../src/engines/files/blob-store-identity.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import type { ReplicaSnapshotStoreOptions } from '../../src/engines/replica-snapshot-options.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { systemClock } from '../../src/kernel/clock.js';
import { JobRegistry } from '../../src/kernel/job-registry.js';
import { NodeLeases } from '../../src/kernel/node-leases.js';
import { parseQuery } from '../../src/search/parse-query.js';
import {
  decodeManifest,
  encodeManifest,
  type ReplicaSnapshotManifest,
} from '../../src/search/replica/replica-snapshot-manifest.js';
import type { ReplicaSnapshotStore } from '../../src/search/replica/replica-snapshot-store.port.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { filesWith } from '../fixtures/files-with.js';
import { recordingLog, silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { openNode, type ReplicatedStorage } from '../fixtures/postgres-replica.js';
import { openBlobsIn } from '../fixtures/s3-engine.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { principal } from '../fixtures/sessions.js';

const { signal } = new AbortController();
const dayMs = 86_400_000;

type SnapshotNode = Pick<ReplicatedStorage, 'storage'> & { readonly updater: ReplicaSnapshotDeps['updater'] };

describe.skipIf(!hasPostgres)('snapshots of the replicas (need PostgreSQL)', () => {
  let engine: PostgresEngine;
  let server: S3Server | undefined;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
    if (hasS3Server) server = await S3Server.start();
  });
  afterAll(async () => {
    await Promise.all([engine.stop(), server?.stop()]);
  });

  let options: PostgresOptions;
  let storeId: string;
  let storeOptions: ReplicaSnapshotStoreOptions;
  /** Directory of the objects of the snapshots. */
  let objectsDir: string;
  const nodes: ReplicatedStorage[] = [];
  const lines: string[] = [];

  const useDirectory = async () => {
    const dir = join(engine.dir, `${options.schema}-attachments`);
    await mkdir(dir, { recursive: true });
    await writeBlobStoreId(dir, storeId);
    objectsDir = join(dir, 'replica-snapshots');
    return { kind: 'files', dir } as const;
  };
  const useBucket = async () => {
    const s3 = await (server ?? expect.fail()).newBucket({ prefix: 'logbook/' });
    const opened = await openBlobsIn(s3, { owner: { storeId, hasFiles: false } });
    await opened.destroy();
    objectsDir = (server ?? expect.fail()).pathOf(s3.bucket, 'logbook/replica-snapshots');
    return { kind: 's3', s3 } as const;
  };
  const open = async (name = String(nodes.length)) => {
    const node = await openNode(engine, options, dirOf(name), { target: storeOptions, log: recordingLog(lines).log });
    nodes.push(node);
    return node;
  };
  const dirOf = (name: string) => join(engine.dir, `${options.schema}-${name}`);
  const insert = ({ storage }: ReplicatedStorage, fields = {}) =>
    storage.write((tx) => tx.entries.insert(entryDraft(fields)));
  const count = async ({ searchIndex }: ReplicatedStorage, params = {}) =>
    (await searchIndex.search(parseQuery(params, { nowMs: Date.now(), zone: 'UTC' }))).hitCount;
  const snapshotsOf = ({ updater, storage }: SnapshotNode, name = '0', intervalMs = dayMs) =>
    new ReplicaSnapshots({
      settings: { storeOptions, storeId, replicaDir: dirOf(name), minFreeBytes: 0 },
      ...{ intervalMs, updater, committed: storage.committed, clock: systemClock, log: recordingLog(lines).log },
    });
  const make = async (node: ReplicatedStorage, name = '0') => {
    await node.searchIndex.waitUntilIndexed();
    await snapshotsOf(node, name, 0).job().run(signal);
  };
  /** Runs the job as it runs every few seconds: it makes a snapshot if none is left and the index was rebuilt. */
  const keep = async (node: ReplicatedStorage) => {
    await node.searchIndex.waitUntilIndexed();
    await snapshotsOf(node).job().run(signal);
  };
  const inPlace = async <T>(work: (store: ReplicaSnapshotStore) => Promise<T>) => {
    const store = await openSnapshotStore(storeOptions, storeId, silentLog);
    return work(store).finally(() => store.close());
  };
  const objects = async () => (await inPlace((store) => store.list())).sort();
  const manifests = async () => (await objects()).filter((name) => name.endsWith('.manifest'));
  /** Lists the objects of one snapshot: a rebuilt replica has another one. */
  const objectsOf = async (manifest = '') =>
    (await objects()).filter((name) => name.startsWith(manifest.replace('manifest', '')));
  const reasons = () =>
    lines.flatMap((line) => (/no snapshot of a replica is used/.test(line) ? [JSON.parse(line).reason] : []));
  const fill = async (node: ReplicatedStorage, entries: number) =>
    node.storage.write(async (tx) => {
      for (let n = 0; n < entries; n++) await tx.entries.insert(entryDraft({ title: `old${n}` }));
    });
  /** Removes the newest entry, as a failover to a standby that lacks it does. */
  const loseNewest = () =>
    engine.query(`DELETE FROM ${options.schema}.entry WHERE id = (SELECT max(id) FROM ${options.schema}.entry)`);
  const redact = async (
    node: ReplicatedStorage,
    entryId: number,
    parts: { title?: boolean; attachments?: string[] },
  ) => {
    const blobs = await openFileBlobStore({ dir: dirOf('files') });
    await redactEntry(
      { storage: node.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() },
      {
        entryId,
        parts: { title: false, text: false, properties: false, attachments: [], ...parts },
        reason: 'why',
        by: principal('admin', ['ADMIN']),
      },
    );
  };

  const places = [
    ['a directory', useDirectory, true],
    ['a bucket', useBucket, hasS3Server],
  ] as const;
  describe.each(places)('in %s', (_name, use, isThere) => {
    beforeEach(async () => {
      options = engine.newOptions();
      await migratePostgres(options, silentLog, undefined);
      const { storage } = await engine.openIn(options);
      ({ storeId } = await storage.status());
      await storage.close();
      lines.length = 0;
      if (isThere) storeOptions = await use();
    });
    afterEach(async () => {
      vi.useRealTimers();
      for (const node of nodes.splice(0)) await node.destroy();
    });

    test.skipIf(!isThere)('a new node begins with one, and asks the database for later writes alone', async () => {
      const one = await open();
      const file = attachment({ contentType: 'text/plain', checksum: 'c'.repeat(64) });
      await fill(one, 700);
      const edited = await insert(one, { title: 'before', attachments: [file] });
      await one.storage.write((tx) => tx.attachments.storeText(file.checksum, 'pressure'));
      await make(one);
      await insert(one, { title: 'later' });
      await one.storage.write((tx) => tx.entries.edit({ ...edited.entry, title: 'edited' }));
      const two = await open('two');
      // 700 entries are more than one page of the feed, whose progress is logged.
      expect(lines.filter((line) => line.includes('replica started from a snapshot'))).toHaveLength(1);
      expect(two.listed[0]).toBeDefined();
      expect(two.listed.includes(undefined)).toBe(false);
      expect(await count(two)).toBe(702);
      expect(await count(two, { title: 'before' })).toBe(0);
      expect(await count(two, { title: 'edited' })).toBe(1);
      expect(await count(two, { attachmenttext: 'pressure' })).toBe(1);
      expect(await count(two, { title: 'later' })).toBe(1);
      // Nothing of it is taken for a file of an entry.
      if (storeOptions.kind === 'files') expect((await readStoredChecksums(storeOptions.dir)).size).toBe(0);
    });

    test.skipIf(!isThere)('one that is damaged is not used: the older one is, or else the database', async () => {
      const one = await open();
      await fill(one, 20);
      await make(one);
      await insert(one);
      await make(one);
      const [older = '', newer = ''] = (await manifests()).map((name) => name.replace('.manifest', ''));
      const change = (object: string, at: number) => changeByte(join(objectsDir, object), at);
      // Changed and compressed again, so that the SHA-256 alone shows it.
      const part = join(objectsDir, `${newer}.entries.gz`);
      const whole = await readFile(part);
      const forged = gunzipSync(whole).toString('latin1').replace('old7', 'odd7');
      await writeFile(part, gzipSync(Buffer.from(forged, 'latin1'), { level: 9 }));
      const two = await open('two');
      expect([await count(two), two.listed.includes(undefined)]).toEqual([21, false]);
      expect(lines.some((line) => line.includes('replica started from a snapshot') && line.includes(older))).toBe(true);
      await writeFile(part, whole);
      await truncate(join(objectsDir, `${newer}.index.gz`), 100);
      await change(`${older}.manifest`, 40);
      const three = await open('three');
      expect([await count(three), three.listed[0]]).toEqual([21, undefined]);
      await inPlace((store) => store.remove(`${newer}.index.gz`));
      const four = await open('four');
      expect([await count(four), four.listed[0]]).toEqual([21, undefined]);
      expect(reasons()).toEqual([
        'there is none',
        expect.stringMatching(/its part index is damaged; .*: its manifest is damaged$/),
        expect.stringMatching(/its part index is missing; .*: its manifest is damaged$/),
      ]);
    });

    test.skipIf(!isThere)('one of another logbook, of another version or with lost writes is not used', async () => {
      const one = await open();
      await fill(one, 20);
      await make(one);
      const [object = ''] = await manifests();
      const path = join(objectsDir, object);
      const name = object.replace('.manifest', '');
      const original = decodeManifest(name, await readFile(path, 'utf8'));
      const { content } = original;
      const refused = async (changed: Partial<ReplicaSnapshotManifest['content']>) => {
        await writeFile(path, encodeManifest({ ...original, content: { ...content, ...changed } }));
        const node = await open(`other-${nodes.length}`);
        expect([await count(node), node.listed[0]]).toEqual([20, undefined]);
        return String(reasons().at(-1)).replace(`${name}: `, '');
      };
      expect(await refused({ storeId: 'another' })).toBe('it belongs to the logbook another');
      expect(await refused({ indexFormat: 1 })).toBe('it was made by another version of the program');
      expect(await refused({ redaction: 9 })).toBe('its files are not those of its manifest');
      await writeFile(path, encodeManifest(original));
      await loseNewest();
      const node = await open('lost');
      expect([await count(node), node.listed[0]]).toEqual([19, undefined]);
      expect(reasons().at(-1)).toContain('it contains writes that the database does not have');
      await one.searchIndex.waitUntilIndexed();
      await snapshotsOf(one).job().run(signal);
      expect(await manifests()).not.toContain(object);
    });

    test.skipIf(!isThere)('closing the replica during the copy does not end the process', async () => {
      const one = await open();
      await one.searchIndex.waitUntilIndexed();
      const opened = one.updater.replica ?? expect.fail();
      let reads = 0;
      const replica = {
        ...opened,
        get redaction() {
          reads += 1;
          return reads === 1 ? opened.redaction : expect.fail('the replica is closed');
        },
      };
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const made = snapshotsOf({ ...one, updater: { lagMs: 0, replica } }, '0', 0)
        .job()
        .run(signal);
      await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
      vi.advanceTimersByTime(60_000);
      await made;
    });

    test.skipIf(!isThere)('replacing the replica during the copy is no failure', async () => {
      const one = await open();
      const file = join(engine.dir, 'no-database');
      await writeFile(file, 'x'.repeat(5_000));
      const broken = { ...(one.updater.replica ?? expect.fail()), files: { entries: file, index: file } };
      const copied = async (later: typeof broken | undefined) => {
        const replicas = [broken];
        const updater = {
          lagMs: 0,
          get replica() {
            return replicas.pop() ?? later;
          },
        };
        const snapshots = snapshotsOf({ ...one, updater }, '0', 0);
        await snapshots.job().run(signal);
        return snapshots.checkHealth();
      };
      await expect(copied(broken)).rejects.toThrow('Until there is a newer snapshot');
      expect(await copied(undefined)).toMatchObject([{ status: 'ok' }]);
    });

    test.skipIf(!isThere)(
      'what is redacted later is not found with it, in no file of the node, and removed with it',
      async () => {
        const [secret, word] = ['swordfish', 'pressure'];
        const one = await open();
        await fill(one, 20);
        const { id } = await insert(one, { title: secret });
        const file = attachment({ contentType: 'text/plain', checksum: 'c'.repeat(64) });
        const other = await one.storage.write(async (tx) => {
          await tx.attachments.insert(file);
          return tx.entries.insert(entryDraft({ attachments: [file] }));
        });
        await one.storage.write((tx) => tx.attachments.storeText(file.checksum, word));
        await make(one);
        const [before = ''] = await manifests();
        expect(await contentOf(before)).toContain(secret);
        await redact(one, id, { title: true });
        await redact(one, other.id, { attachments: [file.id] });
        const two = await open('two');
        expect(reasons().at(-1)).toContain('it is from before a redaction');
        expect([await count(two, { title: secret }), await count(two, { attachmenttext: word })]).toEqual([0, 0]);
        expect(await count(two)).toBe(22);
        for (const text of [secret, word]) expect(await filesWith(dirOf('two'), text)).toEqual([]);
        await keep(one);
        expect(await objectsOf(before)).toEqual([]);
        await expect.poll(() => count(one, { title: secret })).toBe(0);
        await expect.poll(async () => keep(one).then(manifests)).toHaveLength(1);
        const [after = ''] = await manifests();
        const content = await contentOf(after);
        expect([content.includes('old7'), content.includes(secret), content.includes(word)]).toEqual([
          true,
          false,
          false,
        ]);
        const three = await open('three');
        expect([await count(three), three.listed.includes(undefined)]).toEqual([22, false]);
        expect(await count(three, { title: secret })).toBe(0);
        for (const text of [secret, word]) expect(await filesWith(dirOf('three'), text)).toEqual([]);
      },
    );

    test.skipIf(!isThere)('a redaction while it is fetched, or made: it is not used, or not completed', async () => {
      const secret = 'swordfish';
      const one = await open();
      const { id } = await insert(one, { title: secret });
      const second = await insert(one, { title: secret });
      await make(one);
      // After the check, and before the files have arrived.
      let asked = 0;
      const { entryWrites, redactions } = one.storage.committed;
      const listRedactions: typeof redactions.listRedactions = async (after, limit) => {
        const found = await redactions.listRedactions(after, limit);
        asked += 1;
        if (asked === 1) await redact(one, id, { title: true });
        return found;
      };
      const committed = { entryWrites, redactions: { listRedactions } };
      const seed = snapshotSeed({ storeOptions, storeId, minFreeBytes: 0, committed, log: recordingLog(lines).log });
      expect(await seed(dirOf('seeded'), signal)).toBe(false);
      expect(reasons().at(-1)).toContain('it is from before a redaction');
      await expect.poll(async () => keep(one).then(manifests)).toHaveLength(1);
      asked = -2;
      const slow = new ReplicaSnapshots({
        settings: { storeOptions, storeId, replicaDir: dirOf('0'), minFreeBytes: 0 },
        ...{ intervalMs: 0, updater: one.updater, clock: systemClock, log: silentLog },
        committed: {
          entryWrites,
          redactions: {
            listRedactions: async (after, limit) => {
              asked += 1;
              // The calls are for the kept snapshot, for the replica before it is copied, and for the copy.
              if (asked === 1) await redact(one, second.id, { title: true });
              return redactions.listRedactions(after, limit);
            },
          },
        },
      });
      const before = await manifests();
      await slow.job().run(signal);
      expect(await manifests()).toEqual(before);
      await slow.job().run(signal);
      expect(await objectsOf(before[0])).toEqual([]);
    });

    test.skipIf(!isThere)(
      'one node at a time makes them, the newest two are kept, and other objects stay',
      async () => {
        const [one, two] = [await open(), await open('two')];
        await insert(one);
        await insert(two);
        await Promise.all([one.searchIndex.waitUntilIndexed(), two.searchIndex.waitUntilIndexed()]);
        await mkdir(objectsDir, { recursive: true });
        for (const name of ['00000001-deadbeef.entries.gz', '00000001-deadbeef.index.gz.part', 'other']) {
          await writeFile(join(objectsDir, name), '');
        }
        const started = [one, two].map((node, index) => {
          const leases = new NodeLeases(node.storage.leases, { log: silentLog });
          const jobs = new JobRegistry({ log: recordingLog(lines).log });
          jobs.shareBy(leases);
          const snapshots = snapshotsOf(node, index === 0 ? '0' : 'two');
          return { snapshots, leases, job: jobs.start(snapshots.job()) };
        });
        await Promise.all(started.map(({ job }) => job.runNow()));
        await Promise.all(started.map(({ job }) => job.runNow()));
        const ages = started.map(({ snapshots }) => snapshots.ageSeconds === undefined);
        expect(ages.toSorted()).toEqual([false, true]);
        const [first = ''] = await manifests();
        expect(await objects()).toEqual([
          expect.stringMatching(/^00000001-[0-9a-f]{8}[.]entries[.]gz$/),
          expect.stringMatching(/index[.]gz$/),
          first,
          'other',
        ]);
        for (const { job, leases } of started) await job.stop().then(() => leases.close());
        for (let n = 0; n < 3; n++) await make(one);
        expect((await manifests()).map((name) => Number(name.slice(0, 8)))).toEqual([3, 4]);
        expect(await objects()).toHaveLength(7);
      },
    );

    test.skipIf(!isThere)(
      'without space, or in a store of another logbook, nothing is stored and the reason is reported',
      async () => {
        const one = await open();
        await insert(one);
        await one.searchIndex.waitUntilIndexed();
        const snapshots = (settings: object) =>
          new ReplicaSnapshots({
            settings: { storeOptions, storeId, replicaDir: dirOf('0'), minFreeBytes: 0, ...settings },
            ...{ intervalMs: dayMs, updater: one.updater, committed: one.storage.committed },
            ...{ clock: systemClock, log: silentLog },
          });
        const full = snapshots({ minFreeBytes: 2 ** 60 });
        await expect(full.job().run(signal)).rejects.toThrow(/are needed for a snapshot of the replica/);
        expect(await full.checkHealth()).toMatchObject([{ name: 'replicaSnapshot', status: 'warning' }]);
        await expect(snapshots({ storeId: 'another' }).job().run(signal)).rejects.toThrow('belongs to another logbook');
        expect(await objects()).toEqual([]);
      },
    );
  });

  /** The entries of a snapshot, as they are on the disk of the node that has fetched it. */
  async function contentOf(manifest: string): Promise<string> {
    const object = await inPlace(async (store) => {
      const found = await store.open(manifest.replace('manifest', 'entries.gz'));
      return buffer(found ?? expect.fail());
    });
    return gunzipSync(object).toString('latin1');
  }
});

async function changeByte(path: string, at: number): Promise<void> {
  const content = await readFile(path);
  content[at] = (content[at] ?? 0) ^ 1;
  await writeFile(path, content);
}
