import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { leaseDurationMs, leaseRetryMs } from '../../src/kernel/node-leases.js';
import { Cluster } from '../fixtures/cluster.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { Receiver } from '../fixtures/receiver.js';
import { call } from '../fixtures/service.js';
import { subscriberProperties, webhookTo } from '../fixtures/subscribed-logbook.js';

interface Lease {
  readonly name: string;
  readonly token: number;
  readonly holder: string;
  /** Remaining milliseconds by the clock of the database; 0: it is released. */
  readonly leftMs: number;
}

const takeOverLimitMs = 10_000;

describe.skipIf(!hasPostgres)('leases of two processes on one database (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let cluster: Cluster;
  let target: Receiver;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    target = await Receiver.start();
    cluster = await Cluster.create(engine);
    // The first one delivers when the second starts.
    await start(0);
    await expect.poll(async () => (await leases()).map(({ name }) => name)).toContain('subscriber-hook');
    await start(1);
  });
  afterEach(async () => {
    cluster.node(0).signal('SIGCONT');
    await cluster.stop();
    await target.stop();
  });
  const start = (index: number) =>
    cluster.start(index, {
      // Longer than a test, so that the time-out does not end an attempt that hangs.
      settings: subscriberProperties({ hook: webhookTo(`${target.origin}/`, { timeoutSeconds: '60' }) }),
    });
  const leases = async (): Promise<Lease[]> => {
    const sql = `SELECT name, token, holder,
        CASE WHEN expires = '-infinity' THEN 0 ELSE extract(epoch FROM expires - clock_timestamp()) * 1000 END AS "leftMs"
      FROM ${cluster.options.schema}.lease ORDER BY name`;
    return ((await engine.query(sql)) as unknown as Lease[]).map((row) => ({
      ...row,
      token: Number(row.token),
      leftMs: Number(row.leftMs),
    }));
  };
  const lease = async () => (await leases()).find(({ name }) => name === 'subscriber-hook') ?? expect.fail();
  const create = async (title: string) => {
    const json = { title, logbooks: [{ name: 'operations' }] };
    const { status } = await call(`${cluster.node(1).base}/logs`, { method: 'PUT', json, as: 'user:userPass' });
    expect(status).toBe(200);
  };

  test('kill -9 of the one that delivers: the other has all of its leases within 10 s, and continues with the work', async () => {
    await create('before');
    await target.waitFor(1);
    const { holder: killed, token } = await lease();
    const ofDead = async () => (await leases()).filter(({ holder }) => holder === killed);
    await cluster.node(0).stop('SIGKILL');
    // Leases of the dead node end in time, and the waiting node asks often enough.
    for (const { leftMs } of await ofDead()) expect(leftMs + leaseRetryMs).toBeLessThan(takeOverLimitMs);
    expect(leaseDurationMs + leaseRetryMs).toBeLessThan(takeOverLimitMs);
    await create('after');
    // The first one may have died before it could store that it had sent it.
    await expect.poll(() => [...new Set(target.titles)]).toEqual(['before', 'after']);
    await expect.poll(ofDead).toEqual([]);
    expect((await lease()).token).toBeGreaterThan(token);
  });

  test('one that hangs in the middle of its work, and continues later, no longer stores or sends anything', async () => {
    const first = await lease();
    // Each node has a delivery under way, which does not end.
    target.answer = () => 'hang';
    await create('1');
    await target.waitFor(1);
    await cluster.node(0).pause();
    await create('2');
    await target.waitFor(2);
    const second = await lease();
    expect([second.token > first.token, second.holder !== first.holder]).toEqual([true, true]);
    cluster.node(0).signal('SIGCONT');
    const log = () => cluster.node(0).output + cluster.node(0).errors;
    await expect.poll(log).toMatch(/"lease":"subscriber-hook".*"lease lost"/);
    // It has ended its delivery: the connection is closed, and no other has come.
    await expect.poll(() => target.openConnections()).toBe(1);
    expect(target.titles).toEqual(['1', '1']);
    target.answer = () => 200;
    target.dropAll();
    await expect.poll(() => target.titles.slice(2)).toEqual(['1', '2']);
    await create('3');
    await expect.poll(() => target.titles.slice(2)).toEqual(['1', '2', '3']);
    const last = await lease();
    expect([last.token, last.holder]).toEqual([second.token, second.holder]);
  });
});
