import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import { untilAborted } from '../../src/kernel/with-timeout.js';
import { Cluster, nodeSettings } from '../fixtures/cluster.js';
import { freePort } from '../fixtures/free-port.js';
import { Haproxy } from '../fixtures/haproxy.js';
import { PostgresEngine } from '../fixtures/postgres-engine.js';
import { runCommand } from '../fixtures/process.js';
import { call } from '../fixtures/service.js';
import { BackendServers, type Backends } from './backend-servers.js';
import { neverAborted } from './drill.js';
import { administer, follow, share, untilFollowing, untilReceived, write } from './drill-clients.js';
import { countFailures, type DrillOutcome, inspect } from './drill-outcome.js';
import { DrillRecord, FollowedChanges } from './drill-record.js';
import { buildVersion } from './earlier-version.js';

export interface UpgradeOptions extends Partial<Backends> {
  /** The commit of the earlier version. */
  readonly commit: string;
  readonly nodes?: number;
  /** Time between two checks of a node by the load balancer. */
  readonly checkIntervalMs?: number;
  /** Writes that are acknowledged between two steps. */
  readonly writesPerStep?: number;
  /** When it aborts, everything that was started is ended. */
  readonly signal?: AbortSignal;
  onStep?(step: string): void;
}

export interface UpgradeOutcome extends DrillOutcome {
  /** Output of `logbook verify`. */
  readonly verification: string;
  readonly isVerified: boolean;
  /** Versions of entries that the ledger does not have. */
  readonly unrecorded: number;
  /** Stored versions with the text that was removed while both versions ran. */
  readonly notRemoved: number;
  /** Nodes of this version that ended with another exit code than 0. */
  readonly failedStops: number;
}

/** Counts the findings that must be 0, including failed requests. */
export function countUpgradeFailures({
  isVerified,
  unrecorded,
  notRemoved,
  failedStops,
  ...outcome
}: UpgradeOutcome): number {
  const refused = Object.values(outcome.refusals).reduce((total, count) => total + count, 0);
  return countFailures(outcome) + refused + unrecorded + notRemoved + failedStops + (isVerified ? 0 : 1);
}

const serviceRole = 'logbook_service';
const secret = 'the password is swordfish';
/** Time that the load balancer needs on a busy machine to notice that a node stops. */
const leastDrainSeconds = 10;
const recordedWithinMs = 300_000;

/** Runs the steps of an upgrade of a cluster under load: one node after the other, on a database that is migrated first. */
export async function upgrade({ nodes = 2, ...options }: UpgradeOptions): Promise<UpgradeOutcome> {
  const { blobs = 'files', index = 'embedded', signal = neverAborted } = options;
  const engine = await PostgresEngine.start();
  let [backends, cluster, proxy]: [BackendServers?, Cluster?, Haproxy?] = [];
  try {
    backends = await BackendServers.start({ blobs, index });
    signal.throwIfAborted();
    const program = await buildVersion(options.commit, join(engine.dir, 'earlier'));
    signal.throwIfAborted();
    await engine.query(`CREATE ROLE ${serviceRole} LOGIN`);
    const { checkIntervalMs = 1_000 } = options;
    const running = await Cluster.create(engine, {
      user: serviceRole,
      migrate: (database) => migrateAs(database, program),
      env: { LOGBOOK_DRAIN_DURATION: `${Math.max(Math.ceil((4 * checkIntervalMs) / 1_000), leastDrainSeconds)}s` },
    });
    cluster = running;
    const ports = await Promise.all(Array.from({ length: nodes }, freePort));
    const drill = new UpgradeDrill(
      { engine, cluster: running, ports, earlier: program, settings: backends.settings },
      options,
    );
    for (const node of ports.keys()) await untilAborted(signal, () => drill.startNode(node, program));
    proxy = await Haproxy.start(running.dir, ports, checkIntervalMs);
    const balanced = proxy;
    return await untilAborted(signal, async () => {
      await drill.run(balanced);
      const outcome = await inspect(running, engine.server, drill.record, drill.receivers);
      const ledger = await drill.inspectLedger();
      const exits = await Promise.all(running.nodes.map((node) => node.stop('SIGTERM')));
      return { ...outcome, ...ledger, failedStops: exits.filter((code) => code !== 0).length };
    });
  } finally {
    await proxy?.stop();
    await cluster?.stop();
    await backends?.stop();
    await engine.stop();
  }
}

/** Runs the documented command, as the role that owns the tables. @param program default: that of this version */
async function migrateAs(options: PostgresOptions, program?: string): Promise<void> {
  const settings = { ...nodeSettings(options, 'unused'), postgresUser: 'postgres' };
  const args = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  const { code, errors } = await runCommand(['migrate', '--grant-to', serviceRole, ...args], program);
  if (code !== 0) throw new Error(errors);
}

interface UpgradedCluster {
  readonly engine: PostgresEngine;
  readonly cluster: Cluster;
  /** Ports of the nodes. */
  readonly ports: readonly number[];
  /** The program of the earlier version. */
  readonly earlier: string;
  /** Settings of the nodes, in addition to those of the database. */
  readonly settings: Readonly<Record<string, string>>;
}

class UpgradeDrill {
  readonly record = new DrillRecord();
  readonly receivers = [new FollowedChanges(), new FollowedChanges()];

  constructor(
    private readonly upgraded: UpgradedCluster,
    private readonly options: Omit<UpgradeOptions, 'nodes'>,
  ) {}

  async startNode(index: number, program?: string): Promise<void> {
    const { cluster, ports, settings } = this.upgraded;
    const env = { LOGBOOK_HTTP_PORT: String(ports[index]) };
    await cluster.start(index, { env, settings, ...(program !== undefined && { program }) });
    await cluster.untilReady(index);
  }

  async run(proxy: Haproxy): Promise<void> {
    const { record, receivers } = this;
    const base = `${proxy.origin}/logbook`;
    const [over, followed] = [new AbortController(), new AbortController()];
    const following = receivers.map((one) => follow(base, one, record, followed.signal));
    const { signal = neverAborted } = this.options;
    await untilFollowing(receivers, signal);
    const clients = [write, write, write, share, administer].map((client) => client(base, record, over.signal));
    try {
      await Promise.race([this.takeSteps(proxy), Promise.all(clients)]);
    } finally {
      over.abort();
      await Promise.all(clients);
    }
    await untilReceived(base, receivers, record, signal);
    followed.abort();
    await Promise.all(following);
  }

  private async takeSteps(proxy: Haproxy): Promise<void> {
    const { cluster, ports, earlier } = this.upgraded;
    for (const index of ports.keys()) await proxy.untilState(index, 'UP');
    await this.step('All nodes have the earlier version');
    await migrateAs(cluster.options);
    await this.step('The database is migrated');
    await this.replace(proxy, 0, earlier);
    await this.step('A node of the earlier version has started again');
    for (const index of ports.keys()) {
      await this.replace(proxy, index);
      if (index === 0) await this.removeBesideEarlier();
      await this.step(`The node ${index + 1} has this version`);
    }
    await this.untilRecorded();
  }

  /** Resolves when this number of writes was acknowledged since. */
  private async step(name: string): Promise<void> {
    const { writesPerStep = 100, onStep } = this.options;
    onStep?.(name);
    for (const before = this.record.writes; this.record.writes < before + writesPerStep; ) await sleep(20);
  }

  /** Stops a node as an operator does, starts the next one when it has ended, and waits until requests come to it. */
  private async replace(proxy: Haproxy, index: number, program?: string): Promise<void> {
    // The earlier version may end with an error that was corrected since: only failed requests count.
    await this.upgraded.cluster.node(index).stop('SIGTERM');
    await this.startNode(index, program);
    await proxy.untilState(index, 'UP');
  }

  /** Removes a text on the upgraded node, of an entry that the earlier node has written, and edits afterwards. */
  private async removeBesideEarlier(): Promise<void> {
    const { cluster } = this.upgraded;
    const [upgraded, earlier] = [cluster.node(0).base, cluster.node(1).base];
    const send = async (url: string, method: string, json: object, as = 'user:userPass') => {
      const answer = await call(url, { method, json, as });
      if (answer.status !== 200) throw new Error(`${url} got ${answer.text}`);
      return answer.body;
    };
    const [title, logbooks] = ['redacted', [{ name: 'operations' }]];
    const created = await send(`${earlier}/logs`, 'PUT', { title, logbooks, description: secret });
    const { id } = created as { id: number };
    await send(`${earlier}/logs/${id}`, 'POST', { title, logbooks, description: `${secret}!` });
    await send(`${upgraded}/logs/${id}/redaction`, 'POST', { reason: 'a secret', text: true }, 'admin:adminPass');
    await send(`${earlier}/logs/${id}`, 'POST', { title, logbooks, description: 'changed' });
    this.record.create(id, title);
    for (let edits = 0; edits < 3; edits++) this.record.edit(id, title);
  }

  /** Waits for the job that records what the earlier version has stored. */
  private async untilRecorded(): Promise<void> {
    const endMs = performance.now() + recordedWithinMs;
    while ((await this.countVersions('salts IS NULL')) > 0 && performance.now() < endMs) await sleep(200);
  }

  private async countVersions(where: string): Promise<number> {
    const { cluster, engine } = this.upgraded;
    const { schema } = cluster.options;
    const sum = ['entry', 'archived_entry'].map((table) => `(SELECT count(*) FROM ${schema}.${table} WHERE ${where})`);
    const [row] = await engine.query(`SELECT (${sum.join(' + ')})::int AS count`);
    return Number(row?.count);
  }

  async inspectLedger() {
    const { cluster, settings } = this.upgraded;
    const verified = await runCommand([
      'verify',
      ...cluster.storageArgs({ ...settings, dataDir: cluster.dataDirOf(0) }),
    ]);
    return {
      verification: verified.output + verified.errors,
      isVerified: verified.code === 0,
      unrecorded: await this.countVersions('salts IS NULL'),
      notRemoved: await this.countVersions(`document LIKE '%${secret}%'`),
    };
  }
}
