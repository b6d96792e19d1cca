import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { systemClock } from '../../src/kernel/clock.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { groupSearchSuite } from '../contract/group-search.suite.js';
import { searchIndexSuite } from '../contract/search-index.suite.js';
import { similarSuite } from '../contract/similar.suite.js';
import { suggestSuite } from '../contract/suggest.suite.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { filesWith } from '../fixtures/files-with.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { openNode, openReplicated, type ReplicatedStorage } from '../fixtures/postgres-replica.js';
import { copyDataDir } from '../fixtures/service.js';
import { principal } from '../fixtures/sessions.js';

describe.skipIf(!hasPostgres)('the search of a node (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(async () => {
    await engine.stop();
  });
  const searchable = {
    name: 'postgres',
    supports: { groupCommit: true },
    open: () => openReplicated(engine),
  };

  describe('threads and views of the search', () => groupSearchSuite(searchable));
  describe('suggestions of the search', () => suggestSuite(searchable));
  describe('similar entries', () => similarSuite(searchable));
  describe('search index', () => searchIndexSuite(searchable));

  describe('of several', () => {
    let options: PostgresOptions;
    const nodes: ReplicatedStorage[] = [];
    beforeEach(async () => {
      options = engine.newOptions();
      await migratePostgres(options, silentLog, undefined);
    });
    afterEach(async () => {
      for (const node of nodes.splice(0)) await node.destroy();
    });
    const open = async (name = String(nodes.length)) => {
      const node = await openNode(engine, options, join(engine.dir, `${options.schema}-${name}`));
      nodes.push(node);
      return node;
    };
    const insert = ({ storage }: ReplicatedStorage, fields = {}) =>
      storage.write((tx) => tx.entries.insert(entryDraft(fields)));
    const query = (params = {}) => parseQuery(params, { nowMs: Date.now(), zone: 'UTC' });
    const count = async ({ searchIndex }: ReplicatedStorage, params = {}) =>
      (await searchIndex.search(query(params))).hitCount;

    test('what a redaction removes is gone from every byte of the replica, and from its index', async () => {
      const secret = 'swordfish';
      const node = await open();
      const { id } = await insert(node, { title: secret, source: secret, description: secret });
      await insert(node, { title: 'another' });
      expect(await count(node, { title: secret })).toBe(1);
      const blobs = await openFileBlobStore({ dir: join(engine.dir, `${options.schema}-files`) });
      const parts = { title: true, text: true, properties: false, attachments: [] };
      const by = principal('admin', ['ADMIN']);
      await redactEntry(
        { storage: node.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() },
        { entryId: id, parts, reason: 'why', by },
      );
      await node.searchIndex.waitUntilIndexed();
      expect(await count(node, { title: secret })).toBe(0);
      const dir = join(engine.dir, `${options.schema}-0`);
      await expect.poll(() => readdir(dir)).not.toContain('search.sqlite');
      await expect.poll(() => filesWith(dir, secret)).toEqual([]);
      expect(await count(node, { title: 'another' })).toBe(1);
    });

    test('a redaction that is stored while the writes are followed is seen by the next search', async () => {
      const secret = 'swordfish';
      const [node, writer] = [await open(), await open()];
      const { id } = await insert(node, { title: secret });
      expect(await count(node, { title: secret })).toBe(1);
      const blobs = await openFileBlobStore({ dir: join(engine.dir, `${options.schema}-files`) });
      const parts = { title: true, text: false, properties: false, attachments: [] };
      const by = principal('admin', ['ADMIN']);
      const { entryCopies } = node.storage;
      const listRedactions = entryCopies.listRedactions.bind(entryCopies);
      let isRedacted = false;
      vi.spyOn(entryCopies, 'listRedactions').mockImplementation(async (after, limit) => {
        const before = await listRedactions(after, limit);
        // The list at the beginning of a run; the one at its end has a limit of 1.
        if (limit === 1 || isRedacted) return before;
        isRedacted = true;
        const deps = { storage: writer.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() };
        await redactEntry(deps, { entryId: id, parts, reason: 'why', by });
        return before;
      });
      // A run without a new write does not list redactions.
      await insert(node, { title: 'another' });
      await node.searchIndex.waitUntilIndexed();
      expect(isRedacted).toBe(true);
      expect(node.updater.replica?.redaction).toBe(1);
      await node.searchIndex.waitUntilIndexed();
      expect(await count(node, { title: secret })).toBe(0);
    });

    test('the text of a file that a redaction removes is gone too, unless another entry shows the file', async () => {
      const [node, writer] = [await open(), await open()];
      const file = attachment({ contentType: 'text/plain', checksum: 'c'.repeat(64) });
      const shared = attachment({ id: 'shared', contentType: 'text/plain', checksum: 'd'.repeat(64) });
      const { id } = await node.storage.write(async (tx) => {
        await tx.attachments.insert(file);
        for (const one of ['shared', 'other']) await tx.attachments.insert({ ...shared, id: one });
        await tx.entries.insert(entryDraft({ attachments: [{ ...shared, id: 'other' }] }));
        return tx.entries.insert(entryDraft({ attachments: [file, shared] }));
      });
      await node.storage.write((tx) => tx.attachments.storeText(file.checksum, 'swordfish'));
      await node.storage.write((tx) => tx.attachments.storeText(shared.checksum, 'pressure'));
      expect(await count(node, { attachmenttext: 'swordfish' })).toBe(1);
      const blobs = await openFileBlobStore({ dir: join(engine.dir, `${options.schema}-files`) });
      const parts = { title: false, text: false, properties: false, attachments: [file.id, shared.id] };
      const by = principal('admin', ['ADMIN']);
      await redactEntry(
        { storage: writer.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() },
        { entryId: id, parts, reason: 'why', by },
      );
      await node.searchIndex.waitUntilIndexed();
      const dir = join(engine.dir, `${options.schema}-0`);
      await expect.poll(() => filesWith(dir, 'swordfish')).toEqual([]);
      expect(await count(node, { attachmenttext: 'pressure' })).toBe(1);
    });

    test('a node that begins with a copy of the replica of another continues from there, also after a redaction', async () => {
      const [secret, by] = ['swordfish', principal('admin', ['ADMIN'])];
      const [dir, copy] = ['0', 'copy'].map((name) => join(engine.dir, `${options.schema}-${name}`)) as [
        string,
        string,
      ];
      const [node, writer] = [await open(), await open()];
      const { id } = await insert(node, { title: secret });
      await insert(node, { title: 'another' });
      await node.searchIndex.waitUntilIndexed();
      nodes.splice(nodes.indexOf(node), 1);
      await node.updater.close();
      await node.storage.close();
      await copyDataDir(dir, copy);
      // Shows below that the copy is in use, and was not rebuilt.
      const DatabaseSync = await loadSqlite();
      const marked = new DatabaseSync(join(copy, 'entries.sqlite'));
      marked.exec('CREATE TABLE marker (id INTEGER)');
      marked.close();
      const blobs = await openFileBlobStore({ dir: join(engine.dir, `${options.schema}-files`) });
      const parts = { title: true, text: false, properties: false, attachments: [] };
      await redactEntry(
        { storage: writer.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() },
        { entryId: id, parts, reason: 'why', by },
      );
      await insert(writer, { title: 'later' });
      const begun = await openNode(engine, options, copy);
      await begun.searchIndex.waitUntilIndexed();
      expect(await count(begun, { title: 'later' })).toBe(1);
      expect(await count(begun, { title: secret })).toBe(0);
      expect(await count(begun)).toBe(3);
      await expect.poll(() => filesWith(copy, secret)).toEqual([]);
      await begun.updater.close();
      await begun.storage.close();
      const used = new DatabaseSync(join(copy, 'entries.sqlite'));
      expect(used.prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name = 'marker'").get()?.count).toBe(1);
      used.close();
    });

    test('each search sees what another node has acknowledged before it: new entries, edits, and texts of files', async () => {
      const [one, two] = [await open(), await open()];
      for (let n = 1; n <= 20; n++) {
        const { entry } = await insert(one, { title: `number${n}` });
        await one.searchIndex.search(query());
        expect(await count(two)).toBe(n);
        await two.storage.write((tx) => tx.entries.edit({ ...entry, title: `edited${n}` }));
        await two.searchIndex.waitFor({ id: entry.id, revision: 2 });
        expect(await count(two, { title: `number${n}` })).toBe(0);
        expect(await count(one, { title: `edited${n}` })).toBe(1);
      }
      const file = attachment({ contentType: 'text/plain', checksum: 'c'.repeat(64) });
      await insert(one, { attachments: [file] });
      await insert(two, { attachments: [{ ...file, id: 'another' }] });
      await one.storage.write((tx) => tx.attachments.storeText(file.checksum, 'pressure'));
      await expect.poll(() => count(two, { attachmenttext: 'pressure' })).toBe(2);
      await two.searchIndex.waitUntilIndexed();
      expect(await count(two, { attachmenttext: 'pressure' })).toBe(2);
    });

    test('a node that has caught up answers, however long that took', async () => {
      const [one, two] = [await open(), await open()];
      await insert(one, { title: 'before' });
      expect(await count(two)).toBe(1);
      const { entryCopies } = two.storage;
      const listRedactions = entryCopies.listRedactions.bind(entryCopies);
      vi.spyOn(entryCopies, 'listRedactions').mockImplementation(async (...of) => {
        // Two of these calls take longer than a search may lag behind.
        await sleep(600);
        return listRedactions(...of);
      });
      await insert(one, { title: 'meanwhile' });
      expect(await count(two)).toBe(2);
    });

    test('a transaction that is left open hides no acknowledged write from searches, and no later one afterwards', async () => {
      const [one, two] = [await open(), await open('two')];
      await insert(one, { title: 'before' });
      const { schema } = options;
      const client = await engine.server.connect();
      await client.query('BEGIN');
      await client.query(`INSERT INTO ${schema}.store (key, value) VALUES ('left', 'open')`);
      const { entry } = await insert(one, { title: 'beyond' });
      expect(await count(two, { title: 'beyond' })).toBe(1);
      await one.storage.write((tx) => tx.entries.edit({ ...entry, title: 'edited' }));
      expect(await count(two, { title: 'beyond' })).toBe(0);
      expect(await count(two, { title: 'edited' })).toBe(1);
      expect(two.updater.replica?.followed.ahead).toHaveLength(1);
      nodes.splice(nodes.indexOf(two), 1);
      await two.updater.close();
      await two.storage.close();
      const lost = await insert(one, { title: 'lost' });
      const again = await open('two');
      expect(await count(again)).toBe(3);
      await client.query('COMMIT');
      await client.end();
      const aheadAfterSearch = async () => {
        await count(again);
        return again.updater.replica?.followed.ahead;
      };
      await expect.poll(aheadAfterSearch).toEqual([]);
      expect(await count(again)).toBe(3);
      expect(lost.id).toBeGreaterThan(entry.id);
    });

    test('a write that is copied before it is final, and then lost, is no longer found', async () => {
      const one = await open();
      const { schema } = options;
      await insert(one, { title: 'kept' });
      const client = await engine.server.connect();
      await client.query('BEGIN');
      await client.query(`INSERT INTO ${schema}.store (key, value) VALUES ('left', 'open')`);
      const lost = await insert(one, { title: 'lost' });
      expect(await count(one)).toBe(2);
      await engine.query(`DELETE FROM ${schema}.entry WHERE id = ${lost.id}`);
      await client.query('ROLLBACK');
      await client.end();
      await expect.poll(() => count(one).catch(() => -1)).toBe(1);
    });

    test('ids that come out of their order: the order of creation and windows of time are exact', async () => {
      const [one, two] = [await open(), await open()];
      const created: { readonly id: number; readonly createdMs: number }[] = [];
      // Two writers. Their transactions take ids in another order than they commit, and some entries are backdated.
      const writer = async (node: ReplicatedStorage, seed: number) => {
        for (let n = 0; n < 40; n++) {
          const createdMs = n % 7 === seed ? 5 * n : 1_000 + 3 * n + seed;
          const { id } = await insert(node, { createdDate: createdMs });
          created.push({ id, createdMs });
        }
      };
      await Promise.all([writer(one, 1), writer(two, 2), writer(one, 3)]);
      const inOrder = created.toSorted((a, b) => a.createdMs - b.createdMs || a.id - b.id);
      for (const node of [one, two]) {
        await node.searchIndex.waitUntilIndexed();
        const page = await node.searchIndex.search(query({ size: '500', sort: 'up' }));
        const entries = page.entries.kind === 'joined' ? JSON.parse(Buffer.from(page.entries.json).toString()) : [];
        expect(entries.map(({ id }: { id: number }) => id)).toEqual(inOrder.map(({ id }) => id));
        const window = inOrder.filter(({ createdMs }) => createdMs >= 50 && createdMs <= 1_060);
        expect(await count(node, { start: '1970-01-01 00:00:00.050', end: '1970-01-01 00:00:01.060' })).toBe(
          window.length,
        );
      }
    });

    test('a new node answers nothing before it has everything; one that comes back takes what it missed', async () => {
      const one = await open();
      await one.storage.write(async (tx) => {
        for (let n = 0; n < 700; n++) await tx.entries.insert(entryDraft({ title: `old ${n}` }));
      });
      const two = await open('two');
      expect(await count(two)).toBe(700);
      await two.searchIndex.waitUntilIndexed();
      nodes.splice(nodes.indexOf(two), 1);
      await two.updater.close();
      await two.storage.close();
      const { entry } = await insert(one, { title: 'missed' });
      await one.storage.write((tx) => tx.entries.edit({ ...entry, title: 'missed twice' }));
      const again = await open('two');
      expect(await count(again)).toBe(701);
      expect(await count(again, { title: 'missed twice' })).toBe(1);
      expect(await again.searchIndex.status()).toMatchObject({ status: 'Connected', isReady: true });
    });

    test('a replica with writes that the database has lost is rebuilt while it runs', async () => {
      const one = await open();
      const kept = await insert(one, { title: 'kept' });
      const lost = await insert(one, { title: 'lost' });
      expect(await count(one)).toBe(2);
      // The promotion of a standby that lacked the last transaction has the same effect.
      const { schema } = options;
      await engine.query(`DELETE FROM ${schema}.entry WHERE id = ${lost.id}`);
      await engine.query(`UPDATE ${schema}.incarnation SET server = 'another'`);
      const other = await open();
      await expect.poll(() => count(one).catch(() => -1)).toBe(1);
      await insert(other, { title: 'later' });
      await expect.poll(() => count(one)).toBe(2);
      expect(await count(one, { title: 'lost' })).toBe(0);
      expect(await one.searchIndex.matching(query(), [kept.id, lost.id])).toEqual([kept.id]);
    });

    test('a search for a certain write waits for it; one that the database does not have is not waited for', async () => {
      const [one, two] = [await open(), await open()];
      const { id } = await insert(one);
      await two.searchIndex.waitFor({ id, revision: 1 });
      expect(two.updater.replica?.revisionOf(id)).toBe(1);
      await two.searchIndex.waitFor({ id, revision: 2 });
      await two.searchIndex.waitFor({ id: 999_999_999_999_999, revision: 1 });
    });

    test('a damaged replica is rebuilt', async () => {
      const one = await open();
      await insert(one, { title: 'first' });
      expect(await count(one)).toBe(1);
      await sleep(0);
      const again = await openNode(engine, options, join(engine.dir, `${options.schema}-damaged`));
      await again.updater.close();
      await again.storage.close();
      const { writeFile } = await import('node:fs/promises');
      const file = join(engine.dir, `${options.schema}-damaged`, 'entries.sqlite');
      await writeFile(file, Buffer.alloc(8_192, 7));
      const rebuilt = await open('damaged');
      expect(await count(rebuilt)).toBe(1);
    });
  });
});
