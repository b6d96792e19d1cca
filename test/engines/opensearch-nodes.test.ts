import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { indexFormat } from '../../src/engines/opensearch/index-mapping.js';
import type { OpenSearchOptions } from '../../src/engines/opensearch/opensearch-options.js';
import type { OpenSearchIndex } from '../../src/engines/opensearch/opensearch-search-index.js';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import {
  migratePostgres,
  openPostgresStorage,
  type PostgresStorage,
} from '../../src/engines/postgres/postgres-storage.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { systemClock } from '../../src/kernel/clock.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { searchIndexSuite } from '../contract/search-index.suite.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { silentIntegrity, silentLog } from '../fixtures/log.js';
import { openIndex } from '../fixtures/opensearch-engine.js';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { TestService } from '../fixtures/service.js';
import { principal } from '../fixtures/sessions.js';
import { StallingProxy } from '../fixtures/stalling-proxy.js';

interface Node {
  readonly storage: PostgresStorage;
  readonly searchIndex: OpenSearchIndex;
  close(): Promise<void>;
}

async function openNode(postgres: PostgresOptions, opensearch: OpenSearchOptions, format?: number): Promise<Node> {
  const storage = await openPostgresStorage(postgres, { log: silentLog, integrity: silentIntegrity() });
  const searchIndex = await openIndex(storage, opensearch, silentLog, format);
  // The start waits only briefly.
  await searchIndex.waitUntilIndexed();
  const close = async () => {
    await searchIndex.close();
    await storage.close();
  };
  return { storage, searchIndex, close };
}

describe.skipIf(!hasOpenSearch || !hasPostgres)(
  'nodes that share an index (needs OpenSearch, Java and PostgreSQL)',
  () => {
    let server: OpenSearchServer;
    let engine: PostgresEngine;
    beforeAll(async () => {
      engine = await PostgresEngine.start();
      server = await OpenSearchServer.start();
    });
    afterAll(async () => {
      await server?.stop();
      await engine?.stop();
    });

    describe('search index', () =>
      searchIndexSuite({
        name: 'postgres with opensearch',
        supports: { groupCommit: true },
        async open() {
          const options = engine.newOptions();
          await migratePostgres(options, silentLog, undefined);
          const { storage, searchIndex, close } = await openNode(options, server.newOptions());
          const reopen = () => Promise.reject(new Error('not opened again here'));
          return { storage, searchIndex, reopen, destroy: close };
        },
      }));

    describe('of several', () => {
      let postgres: PostgresOptions;
      let opensearch: OpenSearchOptions;
      const nodes: Node[] = [];
      beforeEach(async () => {
        postgres = engine.newOptions();
        opensearch = server.newOptions();
        await migratePostgres(postgres, silentLog, undefined);
      });
      afterEach(async () => {
        for (const node of nodes.splice(0)) await node.close();
      });
      const close = async (node: Node) => nodes.splice(nodes.indexOf(node), 1)[0]?.close();
      const indexNames = async () => Object.keys(await server.request('GET', `/${opensearch.indexName}-*`)).sort();
      const open = async (format?: number) => {
        const node = await openNode(postgres, opensearch, format);
        nodes.push(node);
        return node;
      };
      const insert = ({ storage }: Node, fields = {}) => storage.write((tx) => tx.entries.insert(entryDraft(fields)));
      const query = (params = {}) => parseQuery(params, { nowMs: Date.now(), zone: 'UTC' });
      const count = async ({ searchIndex }: Node, params = {}) => (await searchIndex.search(query(params))).hitCount;

      test('each search sees what another node has acknowledged before it: new entries, edits, and texts of files', async () => {
        const [one, two] = [await open(), await open()];
        for (let n = 1; n <= 20; n++) {
          const { entry } = await insert(one, { title: `number${n}` });
          expect(await count(two)).toBe(n);
          await two.storage.write((tx) => tx.entries.edit({ ...entry, title: `edited${n}` }));
          await two.searchIndex.waitFor({ id: entry.id, revision: 2 });
          expect(await count(two, { title: `number${n}` })).toBe(0);
          expect(await count(one, { title: `edited${n}` })).toBe(1);
        }
        const file = attachment({ contentType: 'text/plain', checksum: 'c'.repeat(64) });
        await insert(one, { attachments: [file] });
        await one.storage.write((tx) => tx.attachments.storeText(file.checksum, 'pressure'));
        expect(await count(two, { attachmenttext: 'pressure' })).toBe(1);
      });

      test('nodes of two versions with different formats search side by side, also while both rebuild theirs', async () => {
        const earlier = await open();
        for (let n = 0; n < 600; n++) await insert(earlier, { title: 'before' });
        expect(await count(earlier)).toBe(600);
        const [former = ''] = await indexNames();
        const newer = await open(indexFormat + 1);
        const [seen, isOver] = [new Set<number>(), { now: false }];
        const searching = (async () => {
          while (!isOver.now) seen.add(await count(earlier, { title: 'before' }));
        })();
        searching.catch(() => undefined);
        await newer.searchIndex.waitUntilIndexed();
        expect(await newer.searchIndex.status()).toMatchObject({ status: 'Connected', isReady: true });
        expect(await indexNames()).toHaveLength(2);
        await insert(earlier, { title: 'ofEarlier' });
        await insert(newer, { title: 'ofNewer' });
        for (const node of [earlier, newer]) {
          expect([await count(node, { title: 'ofEarlier' }), await count(node, { title: 'ofNewer' })]).toEqual([1, 1]);
        }
        // Each rebuilds its own while the other one is in use.
        await Promise.all([earlier.searchIndex.rebuild(), newer.searchIndex.rebuild()]);
        expect(await indexNames()).toHaveLength(2);
        expect(await indexNames()).not.toContain(former);
        expect([await count(earlier), await count(newer)]).toEqual([602, 602]);
        isOver.now = true;
        await searching;
        expect([...seen]).toEqual([600]);
      });

      test('all searches are answered while the index is rebuilt again and again', async () => {
        const both = [await open(), await open()];
        for (const node of both) for (let n = 0; n < 50; n++) await insert(node);
        const isOver = { now: false };
        const searching = async (node: Node) => {
          const seen = new Set<number>();
          while (!isOver.now) seen.add(await count(node));
          return [...seen];
        };
        const searches = Promise.all([...both, ...both].map(searching));
        const rebuilding = (async () => {
          for (let n = 0; n < 12; n++) await both[0]?.searchIndex.rebuild();
        })().finally(() => {
          isOver.now = true;
        });
        const [found] = await Promise.all([searches, rebuilding]);
        expect(found).toEqual([[100], [100], [100], [100]]);
      });

      test('a node is not ready while its index is built next to that of an earlier version', async () => {
        const earlier = await open();
        await insert(earlier);
        const newer = await open(indexFormat + 1);
        const [, own = ''] = await indexNames();
        await server.request('DELETE', `/${own}`);
        await expect(count(newer)).rejects.toMatchObject({ code: 'search.index-building' });
        expect(await newer.searchIndex.status()).toMatchObject({ isReady: false });
        expect([await count(earlier), (await earlier.searchIndex.status()).isReady]).toEqual([1, true]);
        await expect.poll(async () => (await newer.searchIndex.status()).isReady).toBe(true);
        expect(await count(newer)).toBe(1);
      });

      test('an index of an earlier version is removed when its nodes are gone, or content was removed from entries', async () => {
        const earlier = await open();
        const { id } = await insert(earlier, { title: 'secret' });
        expect(await count(earlier)).toBe(1);
        await close(earlier);
        const newer = await open(indexFormat + 1);
        await newer.searchIndex.waitUntilIndexed();
        // It contains everything that was written.
        await newer.searchIndex.rebuild();
        expect(await indexNames()).toHaveLength(2);
        await insert(newer);
        await newer.searchIndex.rebuild();
        expect(await indexNames()).toHaveLength(1);
        const again = await open();
        expect([await count(again), await count(again, { title: 'secret' })]).toEqual([2, 1]);
        const [former = ''] = await indexNames();
        const blobs = await openFileBlobStore({ dir: join(engine.dir, `files-${postgres.schema}`) });
        const parts = { title: true, text: false, properties: false, attachments: [] };
        const by = principal('admin', ['ADMIN']);
        const deps = { storage: newer.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() };
        await redactEntry(deps, { entryId: id, parts, reason: 'why', by });
        const search = () =>
          Promise.all([again, newer].map((node) => count(node, { title: 'secret' }).catch(() => -1)));
        await expect.poll(search).toEqual([0, 0]);
        await expect.poll(() => search().then(indexNames)).not.toContain(former);
        await expect.poll(search).toEqual([0, 0]);
      });

      test('a transaction that is left open hides no acknowledged write from searches', async () => {
        const [one, two] = [await open(), await open()];
        const client = await engine.server.connect();
        await client.query('BEGIN');
        await client.query(`INSERT INTO ${postgres.schema}.store (key, value) VALUES ('left', 'open')`);
        const { entry } = await insert(one, { title: 'beyond' });
        expect(await count(two, { title: 'beyond' })).toBe(1);
        await one.storage.write((tx) => tx.entries.edit({ ...entry, title: 'edited' }));
        expect(await count(two, { title: 'beyond' })).toBe(0);
        expect(await count(two, { title: 'edited' })).toBe(1);
        await client.query('COMMIT');
        await client.end();
        expect(await count(await open(), { title: 'edited' })).toBe(1);
      });

      test('a write that is indexed before it is final, and then lost, is no longer found', async () => {
        const one = await open();
        await insert(one, { title: 'kept' });
        const client = await engine.server.connect();
        await client.query('BEGIN');
        await client.query(`INSERT INTO ${postgres.schema}.store (key, value) VALUES ('left', 'open')`);
        const lost = await insert(one, { title: 'lost' });
        expect(await count(one)).toBe(2);
        await engine.query(`DELETE FROM ${postgres.schema}.entry WHERE id = ${lost.id}`);
        await client.query('ROLLBACK');
        await client.end();
        await expect.poll(() => count(one).catch(() => -1)).toBe(1);
      });

      test('writes of several nodes at the same time: each is found once, by all, in the order of creation', async () => {
        const all = [await open(), await open(), await open()];
        const created: { readonly id: number; readonly createdMs: number }[] = [];
        const writer = async (node: Node, seed: number) => {
          for (let n = 0; n < 30; n++) {
            const createdMs = n % 7 === seed ? 5 * n : 1_000 + 3 * n + seed;
            const { id } = await insert(node, { createdDate: createdMs });
            created.push({ id, createdMs });
            if (n % 5 === seed) await node.searchIndex.search(query());
          }
        };
        await Promise.all(all.map(writer));
        const inOrder = created.toSorted((a, b) => a.createdMs - b.createdMs || a.id - b.id).map(({ id }) => id);
        for (const { searchIndex } of all) {
          const page = await searchIndex.search(query({ size: '500', sort: 'up' }));
          const entries = page.entries.kind === 'joined' ? JSON.parse(Buffer.from(page.entries.json).toString()) : [];
          expect(entries.map(({ id }: { id: number }) => id)).toEqual(inOrder);
        }
      });
    });

    test('a database that hangs: /readyz and the welcome object are answered, with the reason', async () => {
      const direct = engine.newOptions();
      await migratePostgres(direct, silentLog, undefined);
      const [host] = direct.hosts;
      const proxy = await StallingProxy.start(host?.port ?? 0);
      const postgres = { ...direct, hosts: [{ host: '127.0.0.1', port: proxy.port }] };
      const service = await TestService.start(
        {
          ...nodeSettings(postgres, join(engine.dir, `attachments-${postgres.schema}`)),
          ...{ index: 'opensearch', opensearchNodes: server.node, opensearchIndex: server.newOptions().indexName },
          ...{ postgresFailoverTimeout: '10s', postgresConnectTimeout: '10s' },
        },
        join(engine.dir, `${postgres.schema}-stalled`),
      );
      await service.searchable();
      await service.create({ title: 'Before' });
      expect((await service.search('title=before')).hitCount).toBe(1);
      proxy.stall();
      const signal = AbortSignal.timeout(300_000);
      const response = await fetch(`${service.origin}/readyz`, { signal });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ checks: { write: { status: 'failed' } } });
      await proxy.stop();
      await service.stop();
    });

    test('two services: any of them finds what the other has stored, without a replica of their own', async () => {
      const postgres = engine.newOptions();
      await migratePostgres(postgres, silentLog, undefined);
      const settings = {
        ...nodeSettings(postgres, join(engine.dir, `attachments-${postgres.schema}`)),
        ...{ index: 'opensearch', opensearchNodes: server.node, opensearchIndex: server.newOptions().indexName },
      };
      const dirs = ['one', 'two'].map((name) => join(engine.dir, `${postgres.schema}-${name}`));
      const [one, two] = [await TestService.start(settings, dirs[0]), await TestService.start(settings, dirs[1])];
      await Promise.all([one.searchable(), two.searchable()]);
      for (let n = 1; n <= 5; n++) {
        await one.create({ title: `Of one, number${n}` });
        expect((await two.search(`title=number${n}`)).hitCount).toBe(1);
        await two.create({ title: `Of two, number${n}` });
        expect((await one.search(`title=number${n}`)).hitCount).toBe(2);
      }
      expect(existsSync(join(dirs[0] ?? '', 'replica'))).toBe(false);
      await one.stop();
      await two.create({ title: 'Of two alone' });
      expect((await two.search('title=of')).hitCount).toBe(11);
      await two.stop();
    });
  },
);
