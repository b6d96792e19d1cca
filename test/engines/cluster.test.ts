import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { checkStore, versionOf } from '../faults/check-store.js';
import { Ledger } from '../faults/ledger.js';
import { Random } from '../faults/random.js';
import { type Plan, planAny, send } from '../faults/submissions.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { Cluster } from '../fixtures/cluster.js';
import { entryDraft } from '../fixtures/entries.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { Receiver } from '../fixtures/receiver.js';
import { call, callOnce, entryForm } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';
import { subscriberProperties, webhookTo } from '../fixtures/subscribed-logbook.js';

describe.skipIf(!hasPostgres)('a cluster (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let cluster: Cluster | undefined;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterEach(async () => {
    await cluster?.stop();
    cluster = undefined;
  });
  afterAll(async () => {
    await engine.stop();
  });
  const startTwo = async (env: Readonly<Record<string, string>> = {}) => {
    cluster = await Cluster.create(engine, { env });
    await Promise.all([cluster.start(0), cluster.start(1)]);
    await Promise.all([cluster.untilReady(0), cluster.untilReady(1)]);
    return cluster;
  };
  const create = (base: string, title: string, headers = {}) =>
    call(`${base}/logs`, { method: 'PUT', json: { title, logbooks: [{ name: 'operations' }] }, headers });
  const count = async (base: string, query: string, headers = {}) => {
    const { status, body } = await call(`${base}/logs/search?${query}`, { headers });
    return status === 200 ? (body as { hitCount: number }).hitCount : status;
  };

  test('what one node acknowledges, the other finds, shows, notifies of and repeats', async () => {
    const { nodes } = await startTwo();
    const [one, two] = nodes.map(({ base }) => base) as [string, string];
    const [stomp, stream] = [await StompClient.subscribe(two), await ChangeReader.open(two)];
    for (let n = 1; n <= 10; n++) {
      const key = { 'idempotency-key': randomUUID() };
      const created = await create(one, `number${n}`, key);
      const { id } = created.body as Entry;
      expect(created.headers.get('logbook-position')).toBe(`${id}.1`);
      expect(created.headers.get('set-cookie')).toContain(`Logbook-Position=${id}.1`);
      expect(await count(two, `title=number${n}`, { cookie: `Logbook-Position=${id}.1` })).toBe(1);
      expect(((await create(two, `number${n}`, key)).body as Entry).id).toBe(id);
      expect((await call(`${two}/logs/${id}`)).body).toMatchObject({ title: `number${n}` });
    }
    expect(await count(one, 'title=number*')).toBe(10);
    expect((await stream.next(10)).map(({ data }) => data.entry.title)).toEqual(
      Array.from({ length: 10 }, (_, n) => `number${n + 1}`),
    );
    for (let n = 0; n < 10; n++) await stomp.next('MESSAGE');
    await stream.close();
    // The position holds on the other node.
    await create(two, 'later');
    const resumed = await ChangeReader.open(one, { position: stream.positionText });
    expect((await resumed.next(1))[0]?.data.entry.title).toBe('later');
    await resumed.close();
    stomp.socket.terminate();
  });

  test('a file that one node has stored is sent by the other; both share sign-ins', async () => {
    const { nodes } = await startTwo();
    const [one, two] = nodes.map(({ base }) => base) as [string, string];
    const form = entryForm(
      { title: 'file', logbooks: [{ name: 'operations' }], attachments: [{ id: randomUUID(), filename: 'a.txt' }] },
      [{ name: 'a.txt', content: 'words' }],
    );
    const created = await call(`${one}/logs/multipart`, { method: 'PUT', body: form });
    const { id } = created.body as Entry;
    expect((await call(`${two}/logs/attachments/${id}/a.txt`)).text).toBe('words');
    const signedIn = await call(`${one}/login`, { method: 'POST', json: { username: 'user', password: 'userPass' } });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await call(`${two}/user`, { headers: { cookie } })).body).toMatchObject({ userName: 'user' });
  });

  test('a dead letter is retried by the node that delivers, whichever one was asked to', async () => {
    const target = await Receiver.start();
    cluster = await Cluster.create(engine);
    try {
      const settings = subscriberProperties({ hook: webhookTo(`${target.origin}/`) });
      for (const index of [0, 1]) await cluster.start(index, { settings });
      const bases = cluster.nodes.map(({ base }) => base) as [string, string];
      target.answer = () => 410;
      await create(bases[0], 'refused');
      const path = '/subscribers/hook/dead-letters';
      const listed = async () => (await call(`${bases[1]}${path}`, { as: 'admin:adminPass' })).body as { id: number }[];
      await expect.poll(listed).toHaveLength(1);
      target.answer = () => 200;
      const [{ id }] = (await listed()) as [{ id: number }];
      const retry = (base: string) => call(`${base}${path}/${id}`, { method: 'POST', as: 'admin:adminPass' });
      // The first has the lease of the subscriber.
      expect((await retry(bases[1])).status).toBeLessThan(300);
      await expect.poll(listed).toEqual([]);
      expect(target.titles).toEqual(['refused', 'refused']);
    } finally {
      await target.stop();
    }
  });

  test('kill -9 of one node after the other, under writes: nothing acknowledged is lost, and nothing is stored twice', async () => {
    const running = await startTwo();
    const [ledger, random] = [new Ledger(), new Random(String(Date.now()))];
    let isOver = false;
    const sendTo = async (index: number, plan: Plan) => {
      const { child, base } = running.node(index);
      // Another program may use the port of a node that has ended.
      if (child.exitCode !== null || child.signalCode !== null) throw new Error('it has ended');
      return send(base, plan);
    };
    const lane = async (index: number) => {
      while (!isOver) {
        const plan = planAny(ledger, random);
        ledger.record(plan.submission);
        const answer = await sendTo(index % 2, plan).catch(() => undefined);
        if (answer?.status === 200) ledger.acknowledge(plan.submission, answer.body, versionOf(answer));
        else if (answer?.body?.code === 'entry.unknown-parent') ledger.refuse(plan.submission);
        // The test must be able to check the answers at this rate.
        await sleep(20);
      }
    };
    const lanes = Array.from({ length: 6 }, (_, index) => lane(index));
    for (let round = 0; round < 3; round++) {
      const before = ledger.acknowledged();
      await expect.poll(() => ledger.acknowledged()).toBeGreaterThan(before + 40);
      await running.node(round % 2).stop('SIGKILL');
      await expect.poll(() => ledger.acknowledged()).toBeGreaterThan(before + 60);
      await running.start(round % 2);
    }
    isOver = true;
    await Promise.all(lanes);
    for (const index of [0, 1]) {
      await running.untilReady(index);
      await checkStore(running.node(index).base, ledger, ledger.all().slice(-60));
    }
  });

  test('the database is unreachable: searches of a node are refused before they could lack a write, and catch up afterwards', async () => {
    const { nodes } = await startTwo({ LOGBOOK_POSTGRES_FAILOVER_TIMEOUT: '1s' });
    const [one, two] = nodes.map(({ base }) => base) as [string, string];
    await create(one, 'before');
    await engine.server.kill();
    expect((await create(one, 'during')).status).toBe(503);
    // Writes of more than a second ago may be missing by now.
    expect((await callOnce(`${two}/logs/search?title=before`)).body?.code).toBe('search.lagging');
    expect((await fetch(`${nodes[1]?.origin}/readyz`)).status).toBe(503);
    await engine.server.restart();
    await Promise.all([cluster?.untilReady(0), cluster?.untilReady(1)]);
    await create(one, 'after');
    expect(await count(two, 'title=after')).toBe(1);
    expect(await count(two, 'title=before')).toBe(1);
  });

  test('a new node is ready only when its search has everything; after SIGTERM, it is first not ready, then ends', async () => {
    const running = await startTwo({ LOGBOOK_DRAIN_DURATION: '20s' });
    const { storage } = await engine.openIn(running.options);
    await storage.write(async (tx) => {
      for (let n = 0; n < 3_000; n++) await tx.entries.insert(entryDraft({ title: 'template' }));
    });
    await storage.close();
    await running.node(1).stop('SIGKILL');
    await rm(running.dataDirOf(1), { recursive: true, force: true });
    const node = await running.start(1);
    const states = new Set<number>();
    for (let hits = 0; hits !== 3_000; ) {
      hits = await count(node.base, 'title=template');
      states.add(hits);
    }
    // A search finds all of them, or is refused.
    expect([...states].toSorted()).toEqual([3_000, 503].filter((state) => states.has(state)));
    await running.untilReady(1);
    node.signal('SIGTERM');
    await expect.poll(async () => (await fetch(`${node.origin}/readyz`)).status).toBe(503);
    expect((await create(node.base, 'still served')).status).toBe(200);
    expect(await node.exit()).toBe(0);
    expect(await count(running.node(0).base, 'title=still')).toBe(1);
  });

  test('parts that do not belong together are refused with a sentence, and nothing is changed', async () => {
    cluster = await Cluster.create(engine);
    await cluster.start(0);
    await cluster.node(0).stop();
    const refused = async () => {
      const node = cluster?.spawn(0) ?? expect.fail();
      expect(await node.exit()).toBe(1);
      return node.errors + node.output;
    };
    const idFile = join(cluster.attachmentsDir, 'store-id');
    await writeFile(idFile, 'another\n');
    expect(await refused()).toContain('belongs to the logbook another, but the database has the logbook');
    await rm(idFile);
    await writeFile(join(cluster.dataDirOf(0), 'logbook.sqlite'), '');
    expect(await refused()).toContain('has an embedded logbook (logbook.sqlite), but storage is “postgres”');
    await rm(join(cluster.dataDirOf(0), 'logbook.sqlite'));
    await engine.query(`UPDATE ${cluster.options.schema}.store SET value = 'other' WHERE key = 'id'`);
    expect(await refused()).toContain('but the database has the logbook other');
    expect(existsSync(idFile)).toBe(false);
  });
});
