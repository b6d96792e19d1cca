import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplicaSnapshotSettings } from '../src/app/replica-snapshots/make-snapshot.js';
import { ReplicaSnapshots } from '../src/app/replica-snapshots/replica-snapshots.js';
import { writeBlobStoreId } from '../src/engines/files/blob-store-identity.js';
import { migratePostgres } from '../src/engines/postgres/postgres-storage.js';
import type { ReplicaSnapshotStoreOptions } from '../src/engines/replica-snapshot-options.js';
import { systemClock } from '../src/kernel/clock.js';
import { untilAborted } from '../src/kernel/with-timeout.js';
import { recordingLog, silentLog } from '../test/fixtures/log.js';
import { PostgresEngine } from '../test/fixtures/postgres-engine.js';
import { openNode, type ReplicatedStorage } from '../test/fixtures/postgres-replica.js';
import { fill } from './fill-storage.js';
import { runInterruptibly } from './interruption.js';
import { medianOf } from './median.js';

/** Measures the time until a new node is ready, alternately from the change feed and from a snapshot. */
const count = Number(process.argv[2] ?? '50000');
const rounds = Number(process.argv[3] ?? '3');

await runInterruptibly(async (signal) => {
  const engine = await PostgresEngine.start(['fsync=off', 'shared_buffers=256MB', 'autovacuum=off']);
  try {
    await untilAborted(signal, () => compareStarts(engine));
  } finally {
    await engine.stop();
  }
});

async function compareStarts(engine: PostgresEngine): Promise<void> {
  const options = engine.newOptions();
  await migratePostgres(options, silentLog, undefined);
  const { storage } = await engine.openIn(options);
  await fill(storage, count);
  const { storeId } = await storage.status();
  await storage.close();
  const storeOptions: ReplicaSnapshotStoreOptions = { kind: 'files', dir: join(engine.dir, 'attachments') };
  await mkdir(storeOptions.dir);
  await writeBlobStoreId(storeOptions.dir, storeId);
  console.log(`${count} entries`);
  const dirOf = (name: string) => join(engine.dir, name);
  const maker = await openNode(engine, options, dirOf('maker'));
  await makeSnapshot(maker, { storeOptions, storeId, replicaDir: dirOf('maker'), minFreeBytes: 0 });
  const startNode = (name: string, from?: ReplicaSnapshotStoreOptions) =>
    measureStart(() => openNode(engine, options, dirOf(name), from && { target: from }), dirOf(name), from);
  const times: { readonly feed: number; readonly snapshot: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    times.push({
      feed: await startNode(`feed-${round}`),
      snapshot: await startNode(`snapshot-${round}`, storeOptions),
    });
    const { feed, snapshot } = times.at(-1) ?? { feed: 0, snapshot: 0 };
    console.log(`ready from the feed after ${feed.toFixed(1)} s, from a snapshot after ${snapshot.toFixed(1)} s`);
  }
  const [feed, snapshot] = [medianOf(times.map((one) => one.feed)), medianOf(times.map((one) => one.snapshot))];
  console.log(
    `medians ${feed.toFixed(1)} s and ${snapshot.toFixed(1)} s: ${(feed / snapshot).toFixed(1)} times as fast`,
  );
}

/** Returns the seconds until a search finds everything by the index. */
async function measureStart(
  open: () => Promise<ReplicatedStorage>,
  dir: string,
  from: ReplicaSnapshotStoreOptions | undefined,
): Promise<number> {
  const startedMs = performance.now();
  const node = await open();
  await node.searchIndex.waitUntilIndexed();
  const seconds = (performance.now() - startedMs) / 1_000;
  if (from && node.listed.includes(undefined)) throw new Error('the snapshot was not used');
  await node.updater.close();
  await node.storage.close();
  await rm(dir, { recursive: true });
  return seconds;
}

async function makeSnapshot(node: ReplicatedStorage, settings: ReplicaSnapshotSettings): Promise<void> {
  await node.searchIndex.waitUntilIndexed();
  const lines: string[] = [];
  const snapshots = new ReplicaSnapshots({
    ...{ settings, intervalMs: 86_400_000, updater: node.updater, committed: node.storage.committed },
    ...{ clock: systemClock, log: recordingLog(lines).log },
  });
  const startedMs = performance.now();
  const busyMs = await worstDelay(() => snapshots.job().run(new AbortController().signal));
  const tookMs = performance.now() - startedMs;
  // Other programs on the machine delay the event loop as well.
  const idleMs = await worstDelay(() => sleep(tookMs));
  const { bytes, storedBytes, durationMs } = JSON.parse(lines.at(-1) ?? '{}') as Record<string, number>;
  const inMb = (size = 0) => `${(size / 1e6).toFixed(1)} MB`;
  console.log(
    `a snapshot was made in ${((durationMs ?? 0) / 1_000).toFixed(1)} s: ${inMb(bytes)}, stored as ${inMb(storedBytes)}`,
  );
  console.log(
    `the event loop was late by ${busyMs.toFixed(1)} ms at most, and by ${idleMs.toFixed(1)} ms in the same time without it`,
  );
  await node.updater.close();
  await node.storage.close();
}

/** Returns the maximum delay of the event loop during the work, in milliseconds. */
async function worstDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
}
