import { EventEmitter, once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Hosts } from '../../src/engines/postgres/database/hosts.js';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import { migratePostgres, openPostgresStorage } from '../../src/engines/postgres/postgres-storage.js';
import type { Commit } from '../../src/kernel/unit-of-work.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { type Cut, CuttingProxy } from '../fixtures/cutting-proxy.js';
import { entryDraft, tag } from '../fixtures/entries.js';
import { silentIntegrity, silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';

describe.skipIf(!hasPostgres)('a PostgreSQL that fails (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let options: PostgresOptions;
  let opened: OpenStorage | undefined;
  beforeAll(async () => {
    engine = await PostgresEngine.start(['shared_buffers=64MB', 'autovacuum=off']);
  });
  afterAll(async () => {
    await engine.stop();
  });
  beforeEach(async () => {
    options = engine.newOptions();
    await migratePostgres(options, silentLog, undefined);
  });
  afterEach(async () => {
    await opened?.storage.close();
    opened = undefined;
  });
  const open = async (more: Partial<PostgresOptions> = {}) => {
    opened = await engine.openIn({ ...options, ...more });
    return opened.storage;
  };
  const countOf = async (table: string) => {
    const [row] = await engine.query(`SELECT count(*)::int AS count FROM ${options.schema}.${table}`);
    return row?.count;
  };
  /** Ends the sessions of the service, but not that of the test. */
  const endSessions = (condition = 'true') =>
    engine.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'logbook' AND ${condition}`,
    );

  test('a storage that is closed while it reconnects for notifications leaves no connection open', async () => {
    const storage = await open();
    opened = undefined;
    const { connect } = Hosts.prototype;
    const held = new EventEmitter();
    const spy = vi.spyOn(Hosts.prototype, 'connect').mockImplementation(async function (this: Hosts) {
      held.emit('connecting');
      await once(held, 'continue');
      return connect.call(this);
    });
    onTestFinished(() => spy.mockRestore());
    const connecting = once(held, 'connecting');
    await endSessions();
    await connecting;
    const closing = storage.close();
    held.emit('continue');
    await closing;
    const sessions = () => engine.query("SELECT query FROM pg_stat_activity WHERE application_name = 'logbook'");
    await expect.poll(sessions, { timeout: 10_000 }).toEqual([]);
  });

  test.each<Cut>(['before', 'after'])(
    'a connection that is cut %s the commit has arrived: each write is acknowledged, and stored once',
    async (cut) => {
      const proxy = await CuttingProxy.start(engine.server.port);
      try {
        const storage = await open({ hosts: [{ host: '127.0.0.1', port: proxy.port }] });
        const commits: Commit[] = [];
        storage.onCommit((commit) => commits.push(commit));
        for (let n = 1; n <= 5; n++) {
          proxy.cutAt('COMMIT', cut);
          const entries = await Promise.all(
            [1, 2, 3].map(() => storage.write((tx) => tx.entries.insert(entryDraft()))),
          );
          expect(proxy.cuts).toBe(n);
          for (const entry of entries) expect(await storage.committed.entries.find(entry.id)).toEqual(entry);
          expect(await countOf('entry')).toBe(3 * n);
        }
        await expect.poll(() => commits.filter(({ entries }) => entries).length).toBeGreaterThanOrEqual(5);
      } finally {
        await opened?.storage.close();
        opened = undefined;
        await proxy.stop();
      }
    },
  );

  test.each<[Cut, number]>([
    ['before', 0],
    ['after', 1],
  ])(
    '503 storage.outcome-unknown: a commit that is lost %s it has arrived, while the database cannot be asked, is not repeated',
    async (cut, stored) => {
      const proxy = await CuttingProxy.start(engine.server.port);
      const hosts = [{ host: '127.0.0.1', port: proxy.port }];
      const storage = await open({ hosts, failoverTimeoutMs: 500 });
      let runs = 0;
      const isHeld = proxy.holdAt(/COMMIT/, cut);
      const write = storage.write((tx) => {
        runs += 1;
        return tx.entries.insert(entryDraft());
      });
      const refused = expect(write).rejects.toMatchObject({
        kind: 'unavailable',
        code: 'storage.outcome-unknown',
        message: expect.stringContaining('Idempotency-Key'),
      });
      await isHeld;
      await proxy.stop();
      await refused;
      expect([runs, await countOf('entry')]).toEqual([1, stored]);
    },
  );

  test('a session that the server ends in the middle of a write: the write is repeated, reads continue', async () => {
    const storage = await open();
    let runs = 0;
    await storage.write(async (tx) => {
      runs += 1;
      await tx.catalog.put('tags', tag('a'));
      if (runs === 1) await endSessions();
      await tx.catalog.put('tags', tag('b'));
    });
    expect(runs).toBe(2);
    expect(await storage.committed.catalog.find('tags', 'b')).toEqual(tag('b'));
    expect(await countOf('catalog_item')).toBe(2);
  });

  test('what was read of the catalogue is read again on a new connection: a server may have lost the change before', async () => {
    const storage = await open();
    await storage.write((tx) => tx.catalog.put('tags', tag('lost')));
    const find = () => storage.write(async (tx) => (await tx.catalog.find('tags', 'lost'))?.name);
    expect(await find()).toBe('lost');
    // A standby that is promoted without the last change may have the same revision.
    await engine.query(`DELETE FROM ${options.schema}.catalog_item WHERE name = 'lost'`);
    await endSessions();
    expect(await find()).toBeUndefined();
  });

  test('a listener that lost its connection announces that anything may have changed', async () => {
    const storage = await open();
    const commits: Commit[] = [];
    storage.onCommit((commit) => commits.push(commit));
    await endSessions("query LIKE 'LISTEN%'");
    await expect
      .poll(() => commits)
      .toEqual([{ entries: true, entryIds: undefined, feed: true, files: true, catalog: true }]);
    const other = await engine.openIn(options);
    await other.storage.write((tx) => tx.catalog.put('tags', tag('of another node')));
    await expect.poll(() => commits.length).toBe(2);
    await other.storage.close();
  });

  test('kill -9 of the server under load: what was acknowledged is there once, and writes continue', async () => {
    const storage = await open();
    const acknowledged: string[] = [];
    let isOver = false;
    const writer = async (name: number) => {
      for (let n = 0; !isOver; n++) {
        const title = `${name}-${n}`;
        await storage.write((tx) => tx.entries.insert(entryDraft({ title })));
        acknowledged.push(title);
      }
    };
    const writers = Array.from({ length: 8 }, (_, name) => writer(name));
    for (let round = 0; round < 2; round++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50);
      await engine.server.kill();
      await engine.server.restart();
    }
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50);
    isOver = true;
    await Promise.all(writers);
    const rows = await engine.query(`SELECT document::json->>'title' AS title FROM ${options.schema}.entry`);
    const stored = rows.map(({ title }) => title);
    expect(new Set(stored).size).toBe(stored.length);
    expect(new Set(stored)).toEqual(new Set(acknowledged));
  });

  test('503 storage.unavailable while no server takes writes, within the limit; and the health check says so', async () => {
    const storage = await open({ failoverTimeoutMs: 1_000 });
    await engine.server.stop();
    try {
      const write = storage.write((tx) => tx.catalog.put('tags', tag('a')));
      await expect(write).rejects.toMatchObject({ kind: 'unavailable', code: 'storage.unavailable' });
      await expect(storage.committed.entries.find(1)).rejects.toMatchObject({ code: 'storage.unavailable' });
      expect(await storage.checkHealth()).toMatchObject([{ name: 'write', status: 'failed' }]);
      expect((await storage.status()).state).toBe('DISCONNECTED');
    } finally {
      await engine.server.restart();
    }
    await storage.write((tx) => tx.catalog.put('tags', tag('b')));
    expect(await countOf('catalog_item')).toBe(1);
    expect((await storage.status()).state).toBe('CONNECTED');
  });

  test('500 storage.damaged: a document with a flipped bit is reported and not shown', async () => {
    const integrity = silentIntegrity();
    const storage = await openPostgresStorage(options, { log: silentLog, integrity });
    const entry = await storage.write((tx) => tx.entries.insert(entryDraft({ title: 'current' })));
    await engine.query(`UPDATE ${options.schema}.entry SET document = replace(document, 'current', 'currant')`);
    await expect(storage.committed.entries.find(entry.id)).rejects.toMatchObject({ code: 'storage.damaged' });
    expect(integrity.has('document', `entry ${entry.id}`)).toBe(true);
    await storage.close();
  });

  test('a text with the character NUL, which PostgreSQL cannot store, fails no write', async () => {
    const storage = await open();
    const record = {
      atMs: 1,
      userName: 'ja\0ne',
      action: 'sign-in',
      target: '',
      from: '',
      outcome: 'refused' as const,
    };
    await storage.write((tx) => tx.audit.append([{ ...record, detail: '' }]));
    expect(await storage.committed.audit.list({}, 9)).toMatchObject([{ userName: 'ja\0ne' }]);
    await storage.write((tx) => tx.attachments.storeText('a'.repeat(64), 'a\0b'));
  });
});
