import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { entryDraft } from '../../../../test/fixtures/entries.js';
import { recordingLog, silentIntegrity, silentJobs, silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import { principal } from '../../../../test/fixtures/sessions.js';
import { GrowingRuns } from '../../../entries/growing-runs.js';
import { redactEntry } from '../../../entries/redact-entry.js';
import { systemClock } from '../../../kernel/clock.js';
import { Fault } from '../../../kernel/fault.js';
import { Integrity } from '../../../kernel/integrity.js';
import { JobRegistry } from '../../../kernel/job-registry.js';
import { parseQuery } from '../../../search/parse-query.js';
import { openFileBlobStore } from '../../files/file-blob-store.js';
import type { Connection } from '../database/connection.js';
import { openSqliteStorage } from '../sqlite-storage.js';
import { WorkerPool } from '../workers/worker-pool.js';
import type { IndexFiles } from './index/index-files.js';
import { SqliteSearchIndex } from './sqlite-search-index.js';

afterEach(() => {
  vi.useRealTimers();
});

test('a repeated indexing failure is logged once, although its message varies', async () => {
  vi.useFakeTimers();
  let tries = 0;
  const workers: Pick<WorkerPool, 'index' | 'stop' | 'queryCount' | 'collectGarbage'> = {
    async index() {
      tries += 1;
      throw new Fault('full', 'search.disk-full', `The disk has ${300 - tries} MB left.`);
    },
    stop: () => undefined,
    queryCount: 0,
    collectGarbage: async () => undefined,
  };
  const logged = recordingLog();
  const searchIndex = new SqliteSearchIndex({
    workers: workers as WorkerPool,
    documents: {} as Connection,
    files: { file: 'search.sqlite' } as IndexFiles,
    jobs: new JobRegistry({ log: logged.log }),
    log: logged.log,
    integrity: new Integrity(logged.log),
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBeGreaterThan(10);
  expect(logged.messages()).toEqual(['search indexing failed; will retry']);
  await searchIndex.close();
});

test('an index that is found damaged when its status is read is rebuilt', async () => {
  const dataDir = await makeTempDir();
  const integrity = silentIntegrity();
  const { storage, searchIndex } = await openSqliteStorage({ dataDir, log: silentLog, jobs: silentJobs(), integrity });
  await searchIndex.waitUntilIndexed();
  // A thread that found a damaged page leaves this mark.
  await writeFile(join(dataDir, 'search.sqlite-damaged'), '');
  expect((await searchIndex.status()).status).toMatch(/damaged and is being rebuilt/);
  await expect.poll(async () => (await searchIndex.status()).status).toBe('Connected');
  expect(await readdir(dataDir)).toContain('search-rebuilt.sqlite');
  expect(integrity.has('search-index', 'search.sqlite')).toBe(false);
  await storage.close();
  await rm(dataDir, { recursive: true });
});

test('an index that is found damaged while words are learned is rebuilt', async () => {
  const dataDir = await makeTempDir();
  const damage = new Fault('unavailable', 'search.damaged', 'The search index is damaged.');
  const learn = vi.spyOn(WorkerPool.prototype, 'learn').mockRejectedValueOnce(damage);
  const { storage, searchIndex } = await openSqliteStorage({
    ...{ dataDir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity(), restrictedLogbooks: [] },
  });
  await searchIndex.waitUntilIndexed();
  await expect.poll(() => readdir(dataDir)).not.toContain('search.sqlite');
  expect(await readdir(dataDir)).toContain('search-rebuilt.sqlite');
  await storage.close();
  learn.mockRestore();
  await rm(dataDir, { recursive: true });
});

test('waiting for the index does not include learning words', async () => {
  const dataDir = await makeTempDir();
  let end: (outcome: 'idle') => void = () => undefined;
  const learn = vi.spyOn(WorkerPool.prototype, 'learn').mockReturnValue(
    new Promise((resolve) => {
      end = resolve;
    }),
  );
  const { storage, searchIndex } = await openSqliteStorage({
    ...{ dataDir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity(), restrictedLogbooks: [] },
  });
  await searchIndex.waitUntilIndexed();
  await expect.poll(() => learn.mock.calls).toHaveLength(1);
  await searchIndex.waitUntilIndexed();
  end('idle');
  await storage.close();
  learn.mockRestore();
  await rm(dataDir, { recursive: true });
});

test('an index that is damaged again after its rebuild is rebuilt again, and finds what was written in the meantime', async () => {
  const dataDir = await makeTempDir();
  const integrity = silentIntegrity();
  const { storage, searchIndex } = await openSqliteStorage({ dataDir, log: silentLog, jobs: silentJobs(), integrity });
  const hits = async () => (await searchIndex.search(parseQuery({ text: 'word' }, { nowMs: 0, zone: 'UTC' }))).hitCount;
  for (const [round, damaged] of ['search.sqlite', 'search-rebuilt.sqlite', 'search.sqlite'].entries()) {
    await storage.write((tx) => tx.entries.insert(entryDraft({ description: 'word' })));
    await searchIndex.waitUntilIndexed();
    expect(await hits()).toBe(round + 1);
    await writeFile(join(dataDir, `${damaged}-damaged`), '');
    expect((await searchIndex.status()).status).toMatch(/damaged and is being rebuilt/);
    expect(integrity.has('search-index', damaged)).toBe(true);
    await storage.write((tx) => tx.entries.insert(entryDraft({ description: 'other' })));
    await expect.poll(async () => (await searchIndex.status()).status).toBe('Connected');
    expect(integrity.has('search-index', damaged)).toBe(false);
    expect(await readdir(dataDir)).not.toContain(damaged);
    expect(await hits()).toBe(round + 1);
  }
  await storage.close();
  await rm(dataDir, { recursive: true });
});

test('a search is not ended by a clock that is set while it waits for its thread', async () => {
  const dataDir = await makeTempDir();
  const { storage, searchIndex } = await openSqliteStorage({
    ...{ dataDir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() },
  });
  // The clock of this thread, which sends the search, is behind that of the thread which gets it.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 });
  const page = await searchIndex.search(parseQuery({}, { nowMs: Date.now(), zone: 'UTC' }));
  expect(page.hitCount).toBe(0);
  vi.useRealTimers();
  await storage.close();
  await rm(dataDir, { recursive: true });
});

test('a search that waited while its index was replaced is answered from the new index', async () => {
  const files = { file: 'search.sqlite', generation: 1 };
  const workers: Pick<WorkerPool, 'index' | 'query' | 'stop'> = {
    async index() {
      throw new Fault('unavailable', 'service.stopping', 'Nothing is indexed here.');
    },
    async query({ file }) {
      if (file !== 'search.sqlite') return { kind: 'matching', entryIds: [7] };
      Object.assign(files, { file: 'search-rebuilt.sqlite', generation: 2 });
      throw new Fault('unavailable', 'search.unavailable', 'The file of the index is not there.');
    },
    stop: () => undefined,
  };
  const searchIndex = new SqliteSearchIndex({
    workers: workers as WorkerPool,
    documents: {} as Connection,
    files: files as IndexFiles,
    jobs: silentJobs(),
    log: silentLog,
    integrity: silentIntegrity(),
  });
  expect(await searchIndex.matching(parseQuery({}, { nowMs: 0, zone: 'UTC' }), [7])).toEqual([7]);
  await searchIndex.close();
});

test('redacted content is not found while an index that still contains its words is in use', async () => {
  const dataDir = await makeTempDir();
  const jobs = silentJobs();
  const start = jobs.start.bind(jobs);
  let release: () => void = () => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  vi.spyOn(jobs, 'start').mockImplementation((job) => {
    if (job.name !== 'search-index-rebuild') return start(job);
    return start({ ...job, run: (signal) => isReleased.then(() => job.run(signal)) });
  });
  const { storage, searchIndex } = await openSqliteStorage({
    ...{ dataDir, jobs, log: silentLog, integrity: silentIntegrity() },
  });
  let size = 10;
  const hits = async (title: string) => {
    // Another size each time: an answer may be kept until the next write.
    size += 1;
    const query = parseQuery({ title, size: String(size) }, { nowMs: 0, zone: 'UTC' });
    return (await searchIndex.search(query)).hitCount;
  };
  const { id } = await storage.write((tx) => tx.entries.insert(entryDraft({ title: 'swordfish' })));
  await searchIndex.waitUntilIndexed();
  expect(await hits('swordfish')).toBe(1);
  const blobs = await openFileBlobStore({ dir: join(dataDir, 'files') });
  const parts = { title: true, text: false, properties: false, attachments: [] };
  const by = principal('admin', ['ADMIN']);
  await redactEntry(
    { storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() },
    { entryId: id, parts, reason: 'why', by },
  );
  await searchIndex.waitUntilIndexed();
  expect([await hits('swordfish'), await hits('Removed')]).toEqual([0, 1]);
  const { entry } = (await storage.committed.entries.find(id)) ?? expect.fail();
  await storage.write((tx) => tx.entries.edit({ ...entry, title: 'tuna' }));
  await searchIndex.waitUntilIndexed();
  expect([await hits('swordfish'), await hits('Removed'), await hits('tuna')]).toEqual([0, 0, 1]);
  release();
  await expect.poll(() => readdir(dataDir)).not.toContain('search.sqlite');
  expect([await hits('swordfish'), await hits('Removed'), await hits('tuna')]).toEqual([0, 0, 1]);
  await storage.close();
  await rm(dataDir, { recursive: true });
});
