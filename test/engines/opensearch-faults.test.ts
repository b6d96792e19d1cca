import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { indexBody, indexFormat } from '../../src/engines/opensearch/index-mapping.js';
import { IndexWriter } from '../../src/engines/opensearch/index-writer.js';
import { toSearchFault } from '../../src/engines/opensearch/opensearch-errors.js';
import type { OpenSearchOptions } from '../../src/engines/opensearch/opensearch-options.js';
import { requireWhole, SearchCluster } from '../../src/engines/opensearch/search-cluster.js';
import { describeIndex, searchAlias } from '../../src/engines/opensearch/search-indexes.js';
import { IndexSnapshot } from '../../src/engines/opensearch/search-requests.js';
import type { Entry } from '../../src/entries/entry.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { systemClock } from '../../src/kernel/clock.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { entryDraft } from '../fixtures/entries.js';
import { filesWith } from '../fixtures/files-with.js';
import { silentLog } from '../fixtures/log.js';
import { type IndexedStorage, openIndexed } from '../fixtures/opensearch-engine.js';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { copyDataDir, makeTempDir } from '../fixtures/service.js';
import { principal } from '../fixtures/sessions.js';

test('an answer that lacks a part of the index, or that stopped at its time limit, is refused', () => {
  const whole = { timed_out: false, _shards: { total: 1, successful: 1, failed: 0 } };
  expect(requireWhole(whole)).toBe(whole);
  const partial = { timed_out: false, _shards: { total: 2, successful: 1, failed: 1 } };
  expect(() => requireWhole(partial)).toThrow(expect.objectContaining({ status: 503 }));
  expect(() => requireWhole({ ...whole, timed_out: true })).toThrow(
    expect.objectContaining({ code: 'search.too-slow' }),
  );
});

describe.skipIf(!hasOpenSearch)('when OpenSearch fails (needs OpenSearch 2 and Java)', () => {
  let server: OpenSearchServer;
  let options: OpenSearchOptions;
  let opened: IndexedStorage;
  beforeAll(async () => {
    server = await OpenSearchServer.start();
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    options = server.newOptions();
    opened = await openIndexed(options);
  });
  afterEach(async () => {
    await server.resume();
    await opened.destroy();
  });

  const insert = async (title: string): Promise<Entry> =>
    (await opened.storage.write((tx) => tx.entries.insert(entryDraft({ title })))).entry;
  const query = (params = {}) => parseQuery(params, { nowMs: 0, zone: 'UTC' });
  const count = async (params = {}) => (await opened.searchIndex.search(query(params))).hitCount;
  const tryCount = (params = {}) => count(params).catch((error: { code?: string }) => error.code);
  const inCluster = async <T>(work: (cluster: SearchCluster) => Promise<T>) => {
    const cluster = new SearchCluster(options, silentLog);
    return work(cluster).finally(() => cluster.close());
  };
  const alias = () => searchAlias(options.indexName, indexFormat);
  const indexNames = async () => Object.keys(await server.request('GET', `/${options.indexName}-*`)).sort();

  test('redacted content is in no file of the index after the rebuild that follows the redaction', async () => {
    const secret = 'swordfish';
    const { id } = await insert(secret);
    await insert('another');
    expect(await count({ title: secret })).toBe(1);
    const before = await indexNames();
    const filesOf = async () => filesWith(join(server.dataDir, 'nodes'), secret).catch(() => ['changing']);
    await server.request('POST', `/${alias()}/_flush`);
    expect(await filesOf()).not.toEqual([]);
    const blobs = await openFileBlobStore({ dir: join(opened.dir, 'files') });
    const parts = { title: true, text: false, properties: false, attachments: [] };
    const by = principal('admin', ['ADMIN']);
    await redactEntry(
      { storage: opened.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() },
      { entryId: id, parts, reason: 'why', by },
    );
    expect(await tryCount({ title: secret })).toBe(0);
    // A node looks for redactions at each search and at an interval.
    await expect.poll(() => count().then(indexNames)).not.toEqual(before);
    await expect.poll(filesOf).toEqual([]);
    expect([await count({ title: secret }), await count({ title: 'another' }), await count()]).toEqual([0, 1, 2]);
    expect(await indexNames()).toHaveLength(1);
  });

  test('503 search.unavailable with the reason while it is unreachable; what was written in the meantime is found afterwards', async () => {
    await insert('before');
    expect(await count()).toBe(1);
    await server.kill();
    await insert('meanwhile');
    for (const search of [
      () => opened.searchIndex.search(query()),
      () => opened.searchIndex.facets(query()),
      () => opened.searchIndex.suggest({ key: 'title', prefix: 'b', size: 1, hiddenLogbooks: [] }),
      () => opened.searchIndex.matching(query(), [1]),
    ]) {
      const error = await search().catch((one: unknown) => one);
      expect(error).toMatchObject({ code: 'search.unavailable', kind: 'unavailable', retryAfterSeconds: 5 });
      expect(String(error)).toContain('OpenSearch cannot be reached');
      expect(String(error)).not.toContain(String(server.port));
    }
    expect(await opened.searchIndex.status()).toMatchObject({
      status: expect.stringContaining('cannot be reached'),
      unindexedWrites: 1,
      servers: [{ address: `127.0.0.1:${server.port}`, state: 'UNAVAILABLE' }],
    });
    await server.restart();
    await expect.poll(() => tryCount()).toBe(2);
    await expect.poll(async () => (await opened.searchIndex.status()).status).toBe('Connected');
  });

  test('503 while it hangs, and no wrong answer; it continues automatically', async () => {
    await insert('before');
    expect(await count()).toBe(1);
    await server.pause();
    await insert('meanwhile');
    expect(['search.unavailable', 'search.lagging']).toContain(await tryCount());
    await server.resume();
    await expect.poll(() => tryCount()).toBe(2);
  });

  test('a request that gets no answer has one time limit for all attempts, and says that there was none', async () => {
    await server.pause();
    const ask = (limits: object) => inCluster((cluster) => cluster.send('GET', '/', { retries: 1, ...limits }));
    const unanswered = { type: 'timeout', summary: 'OpenSearch does not answer in time' };
    await expect(ask({ timeoutMs: 200, limitMs: 300 })).rejects.toMatchObject(unanswered);
    const error = await ask({ timeoutMs: 60_000, limitMs: 300 }).catch(toSearchFault);
    expect(error).toMatchObject({ code: 'search.unavailable', retryAfterSeconds: 5 });
  });

  test('a search in a snapshot of the index has the same time limits as one in the latest state', async () => {
    await inCluster(async (cluster) => {
      const sent = vi.spyOn(cluster, 'send');
      const index = alias();
      await IndexSnapshot.use(cluster, index, undefined, (snapshot) => snapshot.count({ match_all: {} }));
      await IndexSnapshot.latest(cluster, index, undefined).count({ match_all: {} });
      const limits = sent.mock.calls
        .filter(([method]) => method === 'POST')
        .map(([, , { timeoutMs, limitMs, retries } = {}]) => ({ timeoutMs, limitMs, retries }));
      expect(limits).toHaveLength(3);
      expect(new Set(limits.map((one) => JSON.stringify(one))).size).toBe(1);
      expect(limits[0]).toEqual({ timeoutMs: expect.any(Number), limitMs: expect.any(Number), retries: 1 });
    });
  });

  test('after a long outage searches are refused until the index has everything, and then count all of it', async () => {
    await server.kill();
    for (let part = 0; part < 5; part++) {
      await opened.storage.write(async (tx) => {
        for (let n = 0; n < 1_000; n++) await tx.entries.insert(entryDraft({ title: `missed ${part}` }));
      });
    }
    await server.restart();
    const seen = new Set<unknown>();
    await expect
      .poll(async () => {
        const outcome = await tryCount({ title: 'missed' });
        seen.add(outcome);
        return outcome;
      })
      .toBe(5_000);
    expect([...seen].filter((one) => typeof one === 'number')).toEqual([5_000]);
  });

  test('an index that was removed in OpenSearch is rebuilt; nothing creates one with other fields', async () => {
    await insert('first');
    expect(await count()).toBe(1);
    const [name = ''] = await indexNames();
    await server.request('DELETE', `/${name}`);
    await insert('second');
    await expect.poll(() => tryCount()).toBe(2);
    const [other = '', ...more] = await indexNames();
    expect([other === name, more]).toEqual([false, []]);
  });

  test('a rebuild next to the index in use: no search fails, and none finds less', async () => {
    for (let n = 0; n < 30; n++) await insert(`entry ${n}`);
    expect(await count()).toBe(30);
    const [before] = await indexNames();
    let isDone = false;
    let written = 30;
    const wrong: unknown[] = [];
    const searching = (async () => {
      while (!isDone) {
        await insert('during');
        written += 1;
        const found = await count().catch((error: Error) => `${error.message} (${error.cause})`);
        if (found !== written) wrong.push({ found, written });
      }
    })();
    await opened.searchIndex.rebuild();
    isDone = true;
    await searching;
    expect(written).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
    const after = await indexNames();
    expect([after.length, after[0] === before]).toEqual([1, false]);
    expect(await count()).toBe(written);
  });

  test('an index of an earlier format is replaced', async () => {
    await insert('first');
    expect(await count()).toBe(1);
    const [name = ''] = await indexNames();
    const { storeId } = await opened.storage.status();
    await server.request('PUT', `/${name}/_mapping`, { _meta: { storeId, format: 0 } });
    await expect.poll(() => tryCount()).toBe(1);
    await expect.poll(async () => (await indexNames()).includes(name)).toBe(false);
    expect(await count()).toBe(1);
  });

  test('an index in another order is searched until one in the order of its entries takes its place', async () => {
    await insert('first');
    expect(await count()).toBe(1);
    const [former = ''] = await indexNames();
    const { storeId } = await opened.storage.status();
    const name = `${options.indexName}-${indexFormat}-inanotherorder`;
    const { settings, mappings } = indexBody({ storeId, format: indexFormat }, 0);
    const body = { settings: { ...settings, sort: undefined }, mappings, aliases: { [`${name}-writes`]: {} } };
    await server.request('PUT', `/${name}`, body);
    const add = { index: name, alias: alias() };
    await server.request('POST', '/_aliases', { actions: [{ remove_index: { index: former } }, { add }] });
    const { isOutdated } = (await inCluster(describeIndex)) ?? {};
    expect(isOutdated).toBe(true);
    const counts = new Set<unknown>();
    const isReplaced = async () => {
      counts.add(await tryCount());
      return !(await indexNames()).includes(name);
    };
    await expect.poll(isReplaced).toBe(true);
    expect([...counts, await count()]).toEqual([1, 1]);
    expect(await inCluster(describeIndex)).toEqual({ storeId, isOutdated: false });
  });

  test('the index of another logbook is refused at the start, and not changed', async () => {
    await insert('of one');
    expect(await count()).toBe(1);
    await expect(openIndexed(options)).rejects.toThrow(/belongs to the logbook .* Nothing was changed/);
    expect(await count()).toBe(1);
    await server.request('PUT', '/other_index');
    await expect(openIndexed({ ...options, indexName: 'other_index' })).rejects.toThrow('does not belong to a logbook');
  });

  test('repeated and late writes change nothing', async () => {
    const entry = await insert('first');
    await opened.storage.write((tx) => tx.entries.edit({ ...entry, title: 'second' }));
    expect(await count({ title: 'second' })).toBe(1);
    const [name = ''] = await indexNames();
    // A node reads this before the edit and sends it after the edit.
    const { entryWrites } = opened.storage.committed;
    const findSearchable = async (id: number) => (await entryWrites.listSearchableFrom(id, 1))[0];
    const cluster = new SearchCluster(options, silentLog);
    const late = { id: entry.id, revision: 1, order: 1, position: '' };
    await new IndexWriter(cluster, { findSearchable }).write(name, [late], new AbortController().signal);
    cluster.close();
    await server.request('POST', `/${name}/_refresh`);
    expect([await count({ title: 'first' }), await count({ title: 'second' })]).toEqual([0, 1]);
    // Remove the cursor, as if it had not been stored.
    await server.request('PUT', `/${name}/_doc/cursor?refresh=true`, { cursor: { ahead: [] } });
    opened = (await opened.reopen()) as IndexedStorage;
    expect(await count()).toBe(1);
    expect(await count({ title: 'second' })).toBe(1);
  });

  test('after the database is restored from a copy, entries that it lacks are not found', async () => {
    await insert('kept');
    await opened.searchIndex.close();
    await opened.storage.close();
    const copy = await makeTempDir();
    await copyDataDir(opened.dir, copy);
    opened = await openIndexed(options, opened.dir);
    await insert('lost');
    expect(await count()).toBe(2);
    await opened.searchIndex.close();
    await opened.storage.close();
    const { dir } = opened;
    for (const file of ['logbook.sqlite', 'logbook.sqlite-wal', 'logbook.sqlite-shm'])
      await rm(join(dir, file), { force: true });
    await cp(join(copy, 'logbook.sqlite'), join(dir, 'logbook.sqlite'));
    await rm(copy, { recursive: true, force: true });
    opened = await openIndexed(options, dir);
    await expect.poll(() => tryCount()).toBe(1);
    expect(await count({ title: 'lost' })).toBe(0);
  });

  test('a pattern that is too costly is refused with 400, and searches beyond those that can run or wait get search.busy', async () => {
    await insert('abcdefghijklmnopqrstuvwxyz');
    expect(await tryCount({ title: `*a${'?'.repeat(40)}b*c` })).toBe('search.too-many-terms');
    expect(await tryCount({ title: '*abc*xyz' })).toBe(1);
    const outcomes = await Promise.all(Array.from({ length: 400 }, () => tryCount()));
    expect(new Set(outcomes)).toEqual(new Set([1, 'search.busy']));
    expect(outcomes.filter((one) => one === 1)).toHaveLength(256);
    expect(await tryCount()).toBe(1);
  });

  test('pages far from the first one are exact, also among very many entries of the same moment', async () => {
    const created = Array.from({ length: 26_000 }, (_, n) => (n < 500 ? n : n < 25_000 ? 1_000 : 2_000 + n));
    for (let at = 0; at < created.length; at += 2_000) {
      await opened.storage.write(async (tx) => {
        for (const createdDate of created.slice(at, at + 2_000)) {
          await tx.entries.insert(entryDraft({ title: 'many', createdDate }));
        }
      });
    }
    await opened.searchIndex.waitUntilIndexed();
    const ids = created.map((_, n) => n + 1);
    const hits = async (params: Record<string, string>) => {
      const { hitCount, entries } = await opened.searchIndex.search(query({ title: 'many', size: '3', ...params }));
      expect(hitCount).toBe(ids.length);
      return entries.kind === 'joined'
        ? JSON.parse(Buffer.from(entries.json).toString()).map((one: Entry) => one.id)
        : [];
    };
    for (const from of [0, 499, 9_998, 12_345, 13_000, 15_990, 24_999, 25_998, 26_000]) {
      expect(await hits({ from: String(from), sort: 'up' })).toEqual(ids.slice(from, from + 3));
      expect(await hits({ from: String(from), sort: 'down' })).toEqual(ids.toReversed().slice(from, from + 3));
    }
  });
});
