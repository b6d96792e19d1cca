import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storeItems } from '../../src/catalog/edit-catalog.js';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import { type FeedItem, isIntact } from '../../src/entries/change-feed.port.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { createOnce } from '../fixtures/create-once.js';
import { entryDraft, tag } from '../fixtures/entries.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { call, TestService } from '../fixtures/service.js';

describe.skipIf(!hasPostgres)('several nodes on one PostgreSQL (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let options: PostgresOptions;
  let nodes: OpenStorage[];
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(async () => {
    await engine.stop();
  });
  beforeEach(async () => {
    options = engine.newOptions();
    await migratePostgres(options, silentLog, undefined);
    nodes = [await engine.openIn(options), await engine.openIn(options), await engine.openIn(options)];
  });
  afterEach(async () => {
    for (const { storage } of nodes) await storage.close();
  });
  const node = (index: number) => nodes[index]?.storage ?? expect.fail('there is no such node');
  const create = (index: number, title = 'title') =>
    node(index).write(async (tx) => {
      const entry = await tx.entries.insert(entryDraft({ title }));
      await tx.feed.append({ kind: 'created', entryId: entry.id, revision: 1, notify: true, atMs: 0 });
      return entry;
    });

  /** Reads the feed whenever a commit is announced, as a live client does. */
  function follow(index: number) {
    const storage = node(index);
    const seen: FeedItem[] = [];
    let reading: Promise<void> = Promise.resolve();
    const read = async () => {
      for (;;) {
        const page = await storage.committed.feed.listAfter(seen.at(-1)?.sequence ?? 0, 5);
        seen.push(...page);
        if (page.length < 5) return;
      }
    };
    const stop = storage.onCommit((commit) => {
      if (commit.feed) reading = reading.then(read);
    });
    return { seen, stop };
  }

  test('receivers on every node get each change once, in one order, whichever node wrote it', async () => {
    const receivers = nodes.map((_, index) => follow(index));
    const made = await Promise.all(
      nodes.flatMap((_, index) => Array.from({ length: 100 }, (__, n) => create(index, `${index}-${n}`))),
    );
    const ids = new Set(made.map(({ id }) => id));
    expect(ids.size).toBe(300);
    for (const { seen } of receivers) await expect.poll(() => seen.length).toBe(300);
    const [first = [], ...others] = receivers.map(({ seen }) => seen.filter(isIntact).map(({ entryId }) => entryId));
    expect(new Set(first)).toEqual(ids);
    for (const other of others) expect(other).toEqual(first);
    for (const { stop } of receivers) stop();
  });

  test('a change does not appear while one with an earlier place may still come, and is announced once it does', async () => {
    const { seen, stop } = follow(1);
    const slow = await engine.server.connect();
    await slow.query('BEGIN');
    await slow.query('SELECT pg_current_xact_id()');
    const entry = await create(0);
    expect(await node(0).committed.entries.find(entry.id)).toEqual(entry);
    expect(await node(1).committed.feed.newest()).toBe(0);
    expect(await node(1).committed.feed.heldBackSinceMs()).toBe(0);
    expect(await node(1).committed.entryWrites.listAfter(undefined, 9)).toEqual([]);
    expect(seen).toEqual([]);
    await slow.query('COMMIT');
    await slow.end();
    expect(await node(1).committed.feed.heldBackSinceMs()).toBeUndefined();
    await expect.poll(() => seen.filter(isIntact).map(({ entryId }) => entryId)).toEqual([entry.id]);
    stop();
  });

  test('a feed of RSS has no date while the change feed is held back, and is never called unchanged then', async () => {
    const settings = nodeSettings(options, join(engine.dir, `attachments-${options.schema}`));
    const service = await TestService.start(settings, join(engine.dir, `${options.schema}-node`));
    await service.create({ title: 'first' });
    const slow = await engine.server.connect();
    await slow.query('BEGIN');
    await slow.query('SELECT pg_current_xact_id()');
    await service.create({ title: 'second' });
    const since = { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() };
    const feed = await call(`${service.base}/logs/rss`, { headers: since });
    expect([feed.status, feed.headers.get('last-modified')]).toEqual([200, null]);
    expect(feed.text).toContain('second');
    await slow.end();
    await expect.poll(async () => (await service.get('/logs/rss')).headers.get('last-modified')).not.toBeNull();
    await service.stop();
  });

  test('a reader of the feed gets each change once and in order, although an earlier place is filled after a later one', async () => {
    const seen: FeedItem[] = [];
    const readOn = async () => {
      seen.push(...(await node(2).committed.feed.listAfter(seen.at(-1)?.sequence ?? 0, 100)));
      return seen.filter(isIntact).map(({ entryId }) => entryId);
    };
    const first = await create(0);
    await expect.poll(readOn).toEqual([first.id]);
    const quick: number[] = [];
    const slow = await node(0).write(async (tx) => {
      const entry = await tx.entries.insert(entryDraft());
      await tx.feed.append({ kind: 'created', entryId: entry.id, revision: 1, notify: true, atMs: 0 });
      // Once this is answered, the transaction has its number, and so its place in the feed.
      await tx.entries.find(entry.id);
      for (const index of [1, 2]) quick.push((await create(index)).id);
      expect(await readOn()).toEqual([first.id]);
      return entry;
    });
    const made = [first.id, slow.id, ...quick];
    await expect.poll(readOn).toEqual(made);
    expect(await node(2).committed.feed.countAfter(0, 100)).toBe(made.length);
  });

  test('changes at the same time on several nodes lose nothing of each other', async () => {
    const entry = await create(0, '0');
    const increments = 20;
    const increment = (index: number) =>
      node(index).write(async (tx) => {
        const stored = (await tx.entries.find(entry.id)) ?? expect.fail();
        await tx.entries.edit({ ...stored.entry, title: String(Number(stored.entry.title) + 1) });
      });
    await Promise.all(nodes.flatMap((_, index) => Array.from({ length: increments }, () => increment(index))));
    const found = await node(1).committed.entries.find(entry.id);
    expect(found?.entry).toMatchObject({ title: String(increments * nodes.length), version: 61 });
  });

  test('edits of one entry that follow each other closely on several nodes all succeed', async () => {
    const entry = await create(0);
    const lanes = nodes.flatMap((_, index) => Array.from({ length: 4 }, () => index));
    const editInTurns = async (index: number) => {
      for (let n = 0; n < 12; n++) {
        await node(index).write(async (tx) => {
          const stored = (await tx.entries.find(entry.id)) ?? expect.fail();
          await tx.entries.edit({ ...stored.entry, description: `${index} ${n}` });
        });
      }
    };
    await Promise.all(lanes.map(editInTurns));
    expect((await node(0).committed.entries.find(entry.id))?.entry.version).toBe(1 + lanes.length * 12);
  });

  test('two levels cannot become the default on two nodes', async () => {
    const [first, second] = [node(0), node(1)];
    for (let round = 0; round < 20; round++) {
      const put = (storage: typeof first, name: string) =>
        storage.write((tx) => storeItems(tx, 'levels', [{ name, defaultLevel: true }]));
      const results = await Promise.allSettled([put(first, `A${round}`), put(second, `B${round}`)]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      for (const name of [`A${round}`, `B${round}`]) await first.write((tx) => tx.catalog.remove('levels', name));
    }
  });

  test('a change of the catalogue on one node gives it a new revision on all of them, a new entry does not', async () => {
    const revisions = () => Promise.all(nodes.map(({ storage }) => storage.catalogRevision()));
    for (let n = 0; n < 20; n++) {
      const before = await revisions();
      await create(n % 3);
      expect(await revisions()).toEqual(before);
      await node(n % 3).write((tx) => tx.catalog.put('tags', tag(`tag ${n}`)));
      const after = await revisions();
      expect(after.filter((revision, index) => revision === before[index])).toEqual([]);
    }
  });

  test('each write sees the catalogue as any node has stored it before, however often it was read', async () => {
    const statesSeenBy = (index: number) =>
      node(index).write(async (tx) => {
        const seen = await Promise.all(['a', 'b', 'missing'].map((name) => tx.catalog.find('tags', name)));
        await tx.entries.insert(entryDraft());
        return seen.map((one) => one?.state);
      });
    let expected: (string | undefined)[] = [undefined, undefined, undefined];
    for (let n = 0; n < 12; n++) {
      for (const index of [0, 0, 1, 2, 2]) expect(await statesSeenBy(index)).toEqual(expected);
      const changed = n % 2;
      const state = n % 3 === 0 ? 'Active' : n % 3 === 1 ? 'Inactive' : undefined;
      const name = changed === 0 ? 'a' : 'b';
      await node(n % 3).write(async (tx) => {
        if (state === undefined) return void (await tx.catalog.remove('tags', name));
        await tx.catalog.put('tags', { ...tag(name), state });
      });
      expected = expected.map((before, at) => (at === changed ? state : before));
    }
  });

  test('what a node of an earlier version changes in the catalogue, without a new revision, is seen once it says so', async () => {
    await node(0).write((tx) => tx.catalog.put('tags', tag('old')));
    const find = () => node(1).write(async (tx) => (await tx.catalog.find('tags', 'old'))?.name);
    expect(await find()).toBe('old');
    await engine.query(`DELETE FROM ${options.schema}.catalog_item WHERE name = 'old'`);
    const changed = { entries: false, feed: false, files: false, catalog: true };
    const notice = JSON.stringify({ node: 'another', xid: 1, changed });
    await engine.query(`SELECT pg_notify('logbook_${options.schema}', '${notice}')`);
    await expect.poll(find).toBeUndefined();
  });

  test('what a write has changed in the catalogue before it failed is seen by no other one', async () => {
    const storage = node(0);
    const read = async (tx: Parameters<Parameters<typeof storage.write>[0]>[0]) =>
      Promise.all(['kept', 'new'].map(async (name) => (await tx.catalog.find('tags', name))?.state));
    const find = () => storage.write(read);
    await storage.write((tx) => tx.catalog.put('tags', { ...tag('kept'), state: 'Active' }));
    let seen: unknown;
    const failing = storage.write(async (tx) => {
      await read(tx);
      for (const name of ['kept', 'new']) await tx.catalog.put('tags', { ...tag(name), state: 'Inactive' });
      seen = await read(tx);
      throw new Error('it fails');
    });
    const [failed, ...others] = await Promise.allSettled([failing, find(), find(), create(0).then(find)]);
    expect([failed.status, seen]).toEqual(['rejected', ['Inactive', 'Inactive']]);
    expect(others).toEqual(Array(3).fill({ status: 'fulfilled', value: ['Active', undefined] }));
    expect(await find()).toEqual(['Active', undefined]);
  });

  test('a write that was sent to two nodes under one key is done once', async () => {
    for (let round = 0; round < 10; round++) {
      const send = (index: number) => createOnce(node(index), `key ${round}`);
      const ids = await Promise.all([send(0), send(1), send(2), send(0)]);
      expect(new Set(ids).size).toBe(1);
    }
    const stored = await engine.query(`SELECT count(*)::int AS count FROM ${options.schema}.entry`);
    expect(stored).toEqual([{ count: 10 }]);
  });

  test('a write sees what another node acknowledged before it was sent', async () => {
    for (let n = 0; n < 30; n++) {
      await node(n % 3).write((tx) => tx.catalog.put('tags', tag(`tag ${n}`)));
      expect(await node((n + 1) % 3).write((tx) => tx.catalog.find('tags', `tag ${n}`))).toBeDefined();
      expect(await node((n + 2) % 3).committed.catalog.find('tags', `tag ${n}`)).toBeDefined();
    }
  });

  test('two templates cannot get one name on two nodes', async () => {
    const { attachments: _, events: __, state: ___, ...fields } = entryDraft();
    const put = (index: number) =>
      node(index).write((tx) => tx.templates.put({ ...fields, id: `template ${index}`, name: 'Shift' }));
    const results = await Promise.allSettled([put(0), put(1), put(2)]);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as object] : []));
    expect(refused).toMatchObject([{ code: 'template.name-taken' }, { code: 'template.name-taken' }]);
  });

  test('a node whose lease was taken over while it writes stores nothing', async () => {
    const token = (await node(0).leases.acquire('job', 'a', 0)) ?? expect.fail();
    let takenOver = Promise.resolve<number | undefined>(undefined);
    const writing = node(0).write(async (tx) => {
      await tx.catalog.put('tags', tag('stale'));
      takenOver = node(1).leases.acquire('job', 'b', 60_000);
      await takenOver;
      await tx.leases.require('job', token);
    });
    await expect(writing).rejects.toMatchObject({ code: 'lease.lost' });
    expect(await takenOver).toBeGreaterThan(token);
    expect(await node(1).committed.catalog.find('tags', 'stale')).toBeUndefined();
  });

  test('an attempt to sign in that failed on one node counts on all of them', async () => {
    const counter = { key: 'jane from here', failures: 3, windowMs: 60_000 };
    const begin = (index: number) => node(index).signInState.failures.begin([counter]);
    const begun = await Promise.all([0, 1, 2, 0, 1, 2].map(begin));
    const attempts = begun.flatMap((result) => (result.kind === 'begun' ? [result.attempt] : []));
    expect(attempts).toHaveLength(3);
    for (const attempt of attempts) await node(2).signInState.failures.end(attempt, true);
    expect((await begin(1)).kind).toBe('reached');
  });
});
