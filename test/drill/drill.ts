import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../src/kernel/with-timeout.js';
import { Random } from '../faults/random.js';
import { Cluster } from '../fixtures/cluster.js';
import { RoundRobinProxy } from '../fixtures/round-robin-proxy.js';
import { follow, share, untilFollowing, untilReceived, write } from './drill-clients.js';
import { DrillFaults } from './drill-faults.js';
import { type DrillOutcome, inspect } from './drill-outcome.js';
import { DrillRecord, FollowedChanges } from './drill-record.js';
import { type DrillEngines, DrillServers } from './drill-servers.js';

export interface DrillOptions extends Partial<DrillEngines> {
  readonly seconds: number;
  /** Time for which a server or a network is unreachable. Default: a tenth of the time, at most 30 s. */
  readonly outageMs?: number;
  readonly writers?: number;
  readonly uploaders?: number;
  readonly receivers?: number;
  readonly seed: string;
  /** Whether there was enough work. Default: once the time is over. */
  isEnough?(record: DrillRecord): boolean;
  /** Ends the drill, and everything that it has started, without an outcome. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a cluster behind a load balancer under writes, edits, uploads, searches and receivers, kills nodes at random, stops
 * the servers they work on one after the other, and compares at the end what is stored with what was acknowledged.
 */
export async function drill(options: DrillOptions): Promise<DrillOutcome> {
  const { nodes = 2, blobs = 'files', index = 'embedded', signal = neverAborted } = options;
  const servers = await DrillServers.start({ nodes, blobs, index });
  let [cluster, proxy]: [Cluster?, RoundRobinProxy?] = [];
  try {
    signal.throwIfAborted();
    const running = await Cluster.create(servers.engine);
    cluster = running;
    const indexes = Array.from({ length: nodes }, (_, at) => at);
    await untilAborted(signal, () => Promise.all(indexes.map((at) => servers.startNode(running, at))));
    await untilAborted(signal, () => Promise.all(indexes.map((at) => running.untilReady(at))));
    proxy = await RoundRobinProxy.start(() => running.nodes.flatMap(({ port }) => (port === undefined ? [] : [port])));
    const { record, receivers } = await exercise(running, `${proxy.origin}/logbook`, servers, options);
    return await untilAborted(signal, () => inspect(running, servers.standby, record, receivers));
  } finally {
    await proxy?.stop();
    await cluster?.stop();
    await servers.stop();
  }
}

export const neverAborted = new AbortController().signal;

async function exercise(cluster: Cluster, base: string, servers: DrillServers, options: DrillOptions) {
  const { seconds, outageMs = Math.min(30_000, seconds * 100), seed, signal = neverAborted } = options;
  const { writers = 4, uploaders = 1, receivers: receiverCount = 2, isEnough = () => true } = options;
  const record = new DrillRecord();
  const receivers = Array.from({ length: receiverCount }, () => new FollowedChanges());
  const [over, followed] = [new AbortController(), new AbortController()];
  const following = receivers.map((one) => follow(base, one, record, followed.signal));
  await untilFollowing(receivers, signal);
  const faults = new DrillFaults(cluster, servers, record, new Random(seed), over.signal);
  const faulting = faults.run(seconds, outageMs);
  const working = [
    ...Array.from({ length: writers }, () => write(base, record, over.signal)),
    ...Array.from({ length: uploaders }, () => share(base, record, over.signal)),
    faulting,
  ];
  const untilEnough = async () => {
    await sleep(seconds * 1_000, undefined, { signal });
    while (!isEnough(record)) await sleep(100, undefined, { signal });
  };
  try {
    await untilAborted(signal, () => Promise.race([untilEnough(), Promise.all(working)]));
  } finally {
    over.abort();
    // After an interruption, nothing more is started; clients would wait for nodes that may have ended.
    await (signal.aborted ? faulting.catch(() => undefined) : Promise.all(working));
  }
  await untilAborted(signal, () => Promise.all([...cluster.nodes.keys()].map((index) => cluster.untilReady(index))));
  await untilAborted(signal, () => untilReceived(base, receivers, record, signal));
  followed.abort();
  await Promise.all(following);
  return { record, receivers };
}
