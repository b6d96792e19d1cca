import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeManifest, partObject } from '../../src/search/replica/replica-snapshot-manifest.js';
import { Cluster } from '../fixtures/cluster.js';
import { entryDraft } from '../fixtures/entries.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { call } from '../fixtures/service.js';

const entries = 3_000;

describe.skipIf(!hasPostgres)('kill -9 around snapshots of the replicas (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let cluster: Cluster;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
    cluster = await Cluster.create(engine, { env: { LOGBOOK_LOG_LEVEL: 'info' } });
    const { storage } = await engine.openIn(cluster.options);
    await storage.write(async (tx) => {
      // Hardly compressible content takes time to copy and to fetch.
      const words = (n: number) => createHash('sha512').update(String(n)).digest('hex').repeat(20);
      for (let n = 0; n < entries; n++) await tx.entries.insert(entryDraft({ title: 'template', source: words(n) }));
    });
    await storage.close();
  });
  afterAll(async () => {
    await cluster.stop();
    await engine.stop();
  });

  const start = (index: number, replicaSnapshotInterval: string) =>
    cluster.start(index, { settings: { replicaSnapshotInterval } });
  const objects = async () => {
    const dir = join(cluster.attachmentsDir, 'replica-snapshots');
    return existsSync(dir) ? (await readdir(dir)).sort() : [];
  };
  const read = (object: string) => readFile(join(cluster.attachmentsDir, 'replica-snapshots', object));
  /** Counts the snapshots, each of which is complete. */
  const countWhole = async () => {
    const manifests = (await objects()).filter((object) => object.endsWith('.manifest'));
    for (const object of manifests) {
      const { name, parts } = decodeManifest(object.replace('.manifest', ''), String(await read(object)));
      for (const { kind, sha256 } of parts) {
        expect(
          createHash('sha256')
            .update(await read(partObject(name, kind)))
            .digest('hex'),
        ).toBe(sha256);
      }
    }
    return manifests.length;
  };
  const count = async (index: number) =>
    (await call(`${cluster.node(index).base}/logs/search?title=template`)).body?.hitCount;
  const logOf = (index: number) => cluster.node(index).output + cluster.node(index).errors;
  const until = async (condition: () => boolean) => {
    while (!condition()) await sleep(2);
  };

  test('of the node that makes one: each listed snapshot is complete, and the next start removes the rest', async () => {
    const outgoing = join(cluster.dataDirOf(0), 'replica', 'outgoing');
    for (const waitMs of [0, 400, 900]) {
      const node = await start(0, '1s');
      await until(() => existsSync(outgoing));
      await sleep(waitMs);
      await node.stop('SIGKILL');
      await countWhole();
    }
    const remains = join(outgoing, 'remains');
    await mkdir(outgoing, { recursive: true });
    await writeFile(remains, '');
    await start(0, '1d');
    expect(existsSync(remains)).toBe(false);
    await cluster.untilReady(0);
    await expect.poll(countWhole).toBeGreaterThan(0);
    // Three objects each, and no parts of others.
    await expect.poll(async () => (await objects()).length - 3 * (await countWhole())).toBe(0);
    expect(await count(0)).toBe(entries);
    // Known when the lease of the node that was killed has expired.
    const metrics = async () => (await fetch(`${cluster.node(0).origin}/metrics`)).text();
    await expect.poll(metrics).toMatch(/logbook_replica_snapshot_age_seconds[{]job="replica-snapshot"[}] \d/);
    const readiness = await (await fetch(`${cluster.node(0).origin}/readyz`)).json();
    expect(readiness).toMatchObject({ checks: { replicaSnapshot: { status: 'ok' } } });
  });

  test('of a node that fetches one: the next start has a whole replica, and never asks for all entries', async () => {
    await expect.poll(countWhole).toBeGreaterThan(0);
    const replica = join(cluster.dataDirOf(1), 'replica');
    for (const waitMs of [0, 100, 400]) {
      const killed = cluster.spawn(1, { settings: { replicaSnapshotInterval: '0s' } });
      await until(() => existsSync(join(replica, 'incoming')) || existsSync(join(replica, 'entries.sqlite')));
      await sleep(waitMs);
      await killed.stop('SIGKILL');
      await start(1, '0s');
      await cluster.untilReady(1);
      expect(await count(1)).toBe(entries);
      expect(logOf(1)).not.toContain('no snapshot of a replica is used');
      expect(logOf(1)).not.toContain('is catching up');
      expect(existsSync(join(replica, 'incoming'))).toBe(false);
      await cluster.node(1).stop('SIGKILL');
      await rm(cluster.dataDirOf(1), { recursive: true });
    }
  });
});
