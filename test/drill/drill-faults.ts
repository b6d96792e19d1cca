import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../faults/random.js';
import type { Cluster } from '../fixtures/cluster.js';
import { promote } from '../fixtures/postgres-standby.js';
import type { DrillRecord } from './drill-record.js';
import type { DrillServers } from './drill-servers.js';

/** Time between two kills, and between a kill and the start of the node. */
const killAfterMs = { least: 2_000, most: 6_000 };
const startAfterMs = { least: 200, most: 2_000 };
/**
 * Maximum number of attempts to start one node, 2 s apart. With the time that a start waits for its database, they
 * outlast an outage.
 */
const startAttempts = 30;

/** A server that can hang or end, and recover. */
interface Stoppable {
  pause(): Promise<void>;
  kill(): Promise<void>;
  resume(): Promise<void>;
}

/**
 * Causes faults in a cluster while clients work. Each resolves when its fault is over, soon after the signal aborts.
 */
export class DrillFaults {
  constructor(
    private readonly cluster: Cluster,
    private readonly servers: DrillServers,
    private readonly record: DrillRecord,
    private readonly random: Random,
    private readonly signal: AbortSignal,
  ) {}

  /** One fault after the other, spread over the time, with kills of nodes throughout. */
  async run(seconds: number, outageMs: number): Promise<void> {
    const { s3, openSearch } = this.servers.backends;
    const faults = [
      () => this.cutOff(outageMs),
      ...(s3 ? [() => this.stop(s3, 'object storage', outageMs)] : []),
      () => this.failOver(),
      ...(openSearch ? [() => this.stop(openSearch, 'OpenSearch', outageMs)] : []),
      ...(s3 ? [() => this.stop(s3, 'object storage', outageMs)] : []),
    ];
    const apartMs = (seconds * 1_000) / (faults.length + 1);
    const scheduled = faults.map(async (fault, at) => {
      await this.pause((at + 0.7) * apartMs);
      if (!this.signal.aborted) await fault();
    });
    await Promise.all([this.killNodes(), ...scheduled]);
  }

  private async killNodes(): Promise<void> {
    const pause = ({ least, most }: { readonly least: number; readonly most: number }) =>
      this.pause(this.random.whole(least, most));
    for (;;) {
      await pause(killAfterMs);
      if (this.signal.aborted) return;
      const index = this.random.whole(0, this.cluster.nodes.length - 1);
      await this.cluster.node(index).stop('SIGKILL');
      this.record.kills += 1;
      await pause(startAfterMs);
      await this.startLikeAServiceManager(index);
    }
  }

  /** Repeats the start, which fails while the node reaches no database. */
  private async startLikeAServiceManager(index: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.servers.startNode(this.cluster, index);
      } catch (error) {
        if (attempt === startAttempts) throw error;
        this.record.failedStarts += 1;
        await sleep(startAfterMs.most);
      }
    }
  }

  /** Kills the primary, and promotes its standby. */
  private async failOver(): Promise<void> {
    await this.servers.primary.kill();
    await promote(this.servers.standby);
    this.record.failovers += 1;
  }

  /** Stops the network between a node and the database for a while; then everything that waited arrives. */
  private async cutOff(outageMs: number): Promise<void> {
    const links = this.random.pick(this.servers.links);
    for (const link of links) link.stall();
    await this.pause(outageMs);
    for (const link of links) link.resume();
    this.record.outage('the network of a node');
  }

  /** Suspends a server with its connections open, or ends it. */
  private async stop(server: Stoppable, name: string, outageMs: number): Promise<void> {
    if (this.random.fraction() < 0.5) await server.pause();
    else await server.kill();
    await this.pause(outageMs);
    await server.resume();
    this.record.outage(name);
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }
}
