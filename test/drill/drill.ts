import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../faults/random.js';
import { Cluster } from '../fixtures/cluster.js';
import { PostgresEngine } from '../fixtures/postgres-engine.js';
import type { PostgresServer } from '../fixtures/postgres-server.js';
import { promote, startStandby, synchronousSettings } from '../fixtures/postgres-standby.js';
import { RoundRobinProxy } from '../fixtures/round-robin-proxy.js';
import { follow, write } from './drill-clients.js';
import { type DrillOutcome, inspect } from './drill-outcome.js';
import { DrillRecord, FollowedChanges } from './drill-record.js';

export interface DrillOptions {
  readonly seconds: number;
  readonly nodes?: number;
  readonly writers?: number;
  readonly followers?: number;
  readonly seed: string;
}

/** Between two kills, and between a kill and the start of the node. */
const killAfterMs = { least: 2_000, most: 6_000 };
const startAfterMs = { least: 200, most: 2_000 };

/**
 * Runs a cluster behind a load balancer under writes, edits, searches and followers, kills nodes at random, fails the
 * database over in the middle, and compares at the end what is stored with what was acknowledged.
 */
export async function drill({ nodes = 2, ...options }: DrillOptions): Promise<DrillOutcome> {
  const engine = await PostgresEngine.start(synchronousSettings);
  let [standby, cluster, proxy]: [PostgresServer?, Cluster?, RoundRobinProxy?] = [];
  try {
    standby = await startStandby(engine.server, join(engine.dir, 'standby'));
    const hosts = [engine.server, standby].map(({ port }) => ({ host: '127.0.0.1', port }));
    const running = await Cluster.create(engine, { hosts });
    cluster = running;
    const indexes = Array.from({ length: nodes }, (_, index) => index);
    await Promise.all(indexes.map((index) => running.start(index)));
    await Promise.all(indexes.map((index) => running.untilReady(index)));
    proxy = await RoundRobinProxy.start(() => running.nodes.flatMap(({ port }) => (port === undefined ? [] : [port])));
    const database = { primary: engine.server, standby };
    const { record, followers } = await exercise(running, `${proxy.origin}/logbook`, database, options);
    return await inspect(running, standby, record, followers);
  } finally {
    await proxy?.stop();
    await cluster?.stop();
    await standby?.stop();
    await engine.stop();
  }
}

interface Database {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

async function exercise(
  cluster: Cluster,
  base: string,
  { primary, standby }: Database,
  { seconds, writers = 4, followers: followerCount = 2, seed }: Omit<DrillOptions, 'nodes'>,
) {
  const record = new DrillRecord();
  const followers = Array.from({ length: followerCount }, () => new FollowedChanges());
  const [over, followed] = [new AbortController(), new AbortController()];
  const following = followers.map((one) => follow(base, one, followed.signal));
  // Followers begin at the newest change.
  await sleep(1_000);
  const working = [
    ...Array.from({ length: writers }, () => write(base, record, over.signal)),
    killNodes(cluster, record, new Random(seed), over.signal),
    failOver(primary, standby, seconds * 500, record),
  ];
  try {
    await Promise.race([sleep(seconds * 1_000), Promise.all(working)]);
  } finally {
    over.abort();
    await Promise.all(working);
  }
  for (const index of cluster.nodes.keys()) await cluster.untilReady(index);
  // For what is still on its way.
  await sleep(3_000);
  followed.abort();
  await Promise.all(following);
  return { record, followers };
}

async function failOver(
  primary: PostgresServer,
  standby: PostgresServer,
  afterMs: number,
  record: DrillRecord,
): Promise<void> {
  await sleep(afterMs);
  await primary.kill();
  await promote(standby);
  record.failovers += 1;
}

async function killNodes(cluster: Cluster, record: DrillRecord, random: Random, signal: AbortSignal): Promise<void> {
  const pause = ({ least, most }: { readonly least: number; readonly most: number }) =>
    sleep(random.whole(least, most), undefined, { signal }).catch(() => undefined);
  for (;;) {
    await pause(killAfterMs);
    if (signal.aborted) return;
    const index = random.whole(0, cluster.nodes.length - 1);
    await cluster.node(index).stop('SIGKILL');
    record.kills += 1;
    await pause(startAfterMs);
    await cluster.start(index);
  }
}
