import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate as migrateSteps, migrations, newestSchema } from '../../src/engines/postgres/database/migrations.js';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import { migratePostgres, openPostgresStorage } from '../../src/engines/postgres/postgres-storage.js';
import { isIntact } from '../../src/entries/change-feed.port.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { entryDraft, tag } from '../fixtures/entries.js';
import { recordingLog, silentIntegrity, silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import type { PostgresServer } from '../fixtures/postgres-server.js';
import { promote, startStandby, synchronousSettings } from '../fixtures/postgres-standby.js';

describe.skipIf(!hasPostgres)('a group of PostgreSQL servers (needs PostgreSQL)', () => {
  test('failover under load: no acknowledged write is lost or doubled, and positions continue increasing', async () => {
    const engine = await PostgresEngine.start(synchronousSettings);
    let standby: PostgresServer | undefined;
    const nodes: OpenStorage[] = [];
    try {
      standby = await startStandby(engine.server, join(engine.dir, 'standby'));
      const hosts = [standby, engine.server].map(({ port }) => ({ host: '127.0.0.1', port }));
      const options = engine.newOptions({ hosts });
      await migratePostgres(options, silentLog, undefined);
      nodes.push(await engine.openIn(options), await engine.openIn(options));
      const acknowledged: number[] = [];
      let isOver = false;
      const writer = async ({ storage }: OpenStorage) => {
        while (!isOver) {
          const { id } = await storage.write(async (tx) => {
            const entry = await tx.entries.insert(entryDraft());
            await tx.feed.append({ kind: 'created', entryId: entry.id, revision: 1, notify: true, atMs: 0 });
            return entry;
          });
          acknowledged.push(id);
        }
      };
      const writers = [...nodes, ...nodes].map(writer);
      const grown = async () => {
        const before = acknowledged.length;
        await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50);
      };
      await grown();
      const reader = nodes[0]?.storage.committed ?? expect.fail();
      const [position, newest] = [await reader.entryWrites.newestPosition(), await reader.feed.newest()];
      await engine.server.kill();
      await promote(standby);
      await grown();
      isOver = true;
      await Promise.all(writers);
      const later = await reader.feed.listAfter(newest, 100_000);
      expect(later.length).toBeGreaterThan(50);
      expect(await reader.entryWrites.contains(position)).toBe(true);
      const all = (await reader.feed.listAfter(0, 100_000)).filter(isIntact).map(({ entryId }) => entryId);
      expect(all.toSorted((a, b) => a - b)).toEqual(acknowledged.toSorted((a, b) => a - b));
    } finally {
      for (const { storage } of nodes) await storage.close();
      await standby?.stop();
      await engine.stop();
    }
  });
});

describe.skipIf(!hasPostgres)('a standby of PostgreSQL (needs PostgreSQL)', () => {
  test('is never read: alone it is refused, and next to the primary it is passed over', async () => {
    const engine = await PostgresEngine.start(synchronousSettings);
    let standby: PostgresServer | undefined;
    let opened: OpenStorage | undefined;
    try {
      standby = await startStandby(engine.server, join(engine.dir, 'standby'));
      const [primaryHost, standbyHost] = [engine.server, standby].map(({ port }) => ({ host: '127.0.0.1', port }));
      if (!primaryHost || !standbyHost) return expect.fail();
      const options = engine.newOptions();
      await migratePostgres(options, silentLog, undefined);
      const opening = openPostgresStorage(
        { ...options, hosts: [standbyHost] },
        { log: silentLog, integrity: silentIntegrity() },
      );
      await expect(opening).rejects.toThrow(`127.0.0.1:${standbyHost.port}: it is a standby or read-only`);
      opened = await engine.openIn({ ...options, hosts: [standbyHost, primaryHost] });
      const { storage } = opened;
      expect((await storage.status()).servers.map(({ state }) => state)).toEqual(['NOT_IN_USE', 'CONNECTED']);
      const client = await standby.connect();
      // A session ends a moment after its connection.
      const sessions = () => client.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'logbook'");
      await expect.poll(async () => (await sessions()).rows).toEqual([]);
      await client.end();
    } finally {
      await opened?.storage.close();
      await standby?.stop();
      await engine.stop();
    }
  });
});

describe.skipIf(!hasPostgres)('a schema of PostgreSQL (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let options: PostgresOptions;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(async () => {
    await engine.stop();
  });
  beforeEach(() => {
    options = engine.newOptions();
  });
  let opened: OpenStorage | undefined;
  afterEach(async () => {
    await opened?.storage.close();
    opened = undefined;
  });
  const migrate = (role?: string) => migratePostgres(options, silentLog, role);
  const open = async (more: Partial<PostgresOptions> = {}) => {
    opened = await engine.openIn({ ...options, ...more });
    return opened.storage;
  };

  test('programs that migrate at the same time apply each step once; a second time changes nothing', async () => {
    const versions = await Promise.all([migrate(), migrate(), migrate()]);
    expect(new Set(versions.map(({ version }) => version)).size).toBe(1);
    expect(await migrate()).toEqual(versions[0]);
    await (await open()).write((tx) => tx.catalog.put('tags', tag('a')));
  });

  describe('while tables are in use', () => {
    let holder: pg.Client;
    const prepare = async () => {
      holder = await engine.server.connect();
      await holder.query(`CREATE SCHEMA ${options.schema}; SET search_path = ${options.schema}`);
      const steps = migrations.slice(0, 3);
      await migrateSteps(holder, options.schema, { runtimeRole: undefined, lockTimeoutMs: 0, steps });
      await holder.query('BEGIN');
    };
    beforeEach(prepare);
    afterEach(() => holder.end());
    const reached = () => engine.query(`SELECT max(version) AS version FROM ${options.schema}.schema_version`);
    const untilWaiting = () =>
      expect
        .poll(() => engine.query(`SELECT relation::regclass::text AS name FROM pg_locks WHERE NOT granted`))
        .toHaveLength(1);

    test('a migration keeps nothing waiting for longer than a moment, and is made when they are free', async () => {
      await holder.query('SELECT FROM file_text');
      const migrating = migrate();
      await untilWaiting();
      // Waits behind the migration, which waits for the holder.
      await engine.query(`SELECT FROM ${options.schema}.file_text`);
      expect(await reached()).toEqual([{ version: 3 }]);
      await holder.query('COMMIT');
      expect((await migrating).version).toBe(newestSchema);
    });

    test('a deadlock ends an attempt, not the migration', async () => {
      const lines: string[] = [];
      const { log } = recordingLog(lines);
      // Only the migration looks for a deadlock, before its attempt ends.
      await engine.query("ALTER DATABASE postgres SET deadlock_timeout = '1500ms'");
      const found = () => lines.filter((line) => line.includes('deadlock detected'));
      try {
        // On a busy machine the holder may wait too late for the migration to see it.
        for (let round = 0; found().length === 0; round++) {
          if (round > 0) {
            await holder.end();
            await engine.query(`DROP SCHEMA ${options.schema} CASCADE`);
            await prepare();
          }
          await holder.query("SET deadlock_timeout = '1h'");
          await holder.query('LOCK TABLE change IN ACCESS SHARE MODE');
          const migrating = migratePostgres(options, log, undefined);
          await untilWaiting();
          await holder.query('SELECT FROM file_text');
          await holder.query('COMMIT');
          expect((await migrating).version).toBe(newestSchema);
        }
      } finally {
        await engine.query('ALTER DATABASE postgres RESET deadlock_timeout');
      }
      expect(found()).toHaveLength(1);
    });

    test('a table that stays locked is an error with advice, and nothing was changed', async () => {
      await holder.query('SELECT FROM change');
      await expect(migratePostgres(options, silentLog, undefined, 0)).rejects.toThrow(
        `Tables of the schema ${options.schema} were in use by other transactions, such as a dump, for 0 min. Nothing was changed. Try again`,
      );
      expect(await reached()).toEqual([{ version: 3 }]);
    });
  });

  test('without tables, and with those of a later version, it is not opened: a sentence says what to do', async () => {
    await expect(open()).rejects.toThrow(`The schema ${options.schema} holds no logbook yet. Run “logbook migrate”`);
    await migrate();
    const later = (usableFrom: number) =>
      engine.query(`INSERT INTO ${options.schema}.schema_version VALUES (99, ${usableFrom}, now())
        ON CONFLICT (version) DO UPDATE SET usable_from = excluded.usable_from`);
    await later(99);
    await expect(open()).rejects.toThrow('Install the newer version.');
    // A later version that only added is used by the one before it while nodes are upgraded.
    await later(1);
    await (await open()).write((tx) => tx.catalog.put('tags', tag('a')));
  });

  test('a role that cannot change tables is enough to run', async () => {
    const role = `runs_${options.schema}`;
    await engine.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER`);
    await migrate(role);
    const storage = await open({ user: role });
    const entry = await storage.write((tx) => tx.entries.insert(entryDraft()));
    expect(await storage.committed.entries.find(entry.id)).toEqual(entry);
    expect(await storage.leases.acquire('job', 'a', 1_000)).toBeDefined();
    const attempt = await storage.signInState.failures.begin([{ key: 'a', failures: 1, windowMs: 1_000 }]);
    expect(attempt.kind).toBe('begun');
    for (const forbidden of ['CREATE TABLE other ()', 'DROP TABLE entry', 'UPDATE schema_version SET version = 2']) {
      const as = `SET ROLE ${role}; SET search_path = ${options.schema}; ${forbidden}`;
      await expect(engine.query(as), forbidden).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('a wrong password, and a host that does not answer, are said with the host and without the password', async () => {
    await migrate();
    const { log } = recordingLog();
    const unreachable = { ...options, hosts: [{ host: '127.0.0.1', port: 1 }], password: 'secret' };
    const opening = openPostgresStorage(unreachable, { log, integrity: silentIntegrity() });
    await expect(opening).rejects.toThrow(/127\.0\.0\.1:1: .*ECONNREFUSED/);
    await expect(opening).rejects.not.toThrow('secret');
  });

  test('restored from a dump into another server: positions continue above the earlier ones, and are told apart', async () => {
    await migrate();
    let storage = await open();
    const create = () =>
      storage.write(async (tx) => {
        const entry = await tx.entries.insert(entryDraft());
        await tx.feed.append({ kind: 'created', entryId: entry.id, revision: 1, notify: true, atMs: 0 });
        return entry.id;
      });
    const first = await create();
    const lost = await create();
    const [before, position] = [
      await storage.committed.feed.newest(),
      await storage.committed.entryWrites.newestPosition(),
    ];
    await opened?.storage.close();
    // The content of a dump that was made after the first entry, on a server that has assigned higher numbers.
    const { schema } = options;
    await engine.query(`DELETE FROM ${schema}.entry WHERE id = ${lost}`);
    await engine.query(`DELETE FROM ${schema}.change WHERE entry_id = ${lost}`);
    await engine.query(`UPDATE ${schema}.change SET sequence = sequence + ${2 ** 44}`);
    await engine.query(`UPDATE ${schema}.entry SET write_xid = write_xid + ${2 ** 30}`);
    await engine.query(`UPDATE ${schema}.incarnation SET server = 'another', xid_offset = ${2 ** 30}`);
    storage = await open();
    const { feed, entryWrites } = storage.committed;
    const third = await create();
    expect((await feed.listAfter(0, 9)).filter(isIntact).map(({ entryId }) => entryId)).toEqual([first, third]);
    expect(await feed.newest()).toBeGreaterThan(before + 2 ** 44);
    expect((await entryWrites.listAfter(undefined, 9)).map(({ id }) => id)).toEqual([first, third]);
    const [incarnation, write, entry] = position.split('.');
    expect(await entryWrites.contains(`${incarnation}.${Number(write) + 2 ** 30 + 1_000_000_000}.${entry}`)).toBe(
      false,
    );
    expect(await entryWrites.contains(await entryWrites.newestPosition())).toBe(true);
  });
});
