import { isUsable } from '../../engines/sqlite/replica/replica-copy.js';
import type { Job } from '../../kernel/background-job.js';
import type { Clock } from '../../kernel/clock.js';
import type { HealthCheck, HealthSource } from '../../kernel/health.js';
import type { Log } from '../../kernel/log.js';
import { describeDuration } from '../../kernel/text.js';
import type { EntryReplica } from '../../search/replica/entry-replica.port.js';
import { nextSnapshotName, type ReplicaSnapshotManifest } from '../../search/replica/replica-snapshot-manifest.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';
import type { ReplicaUpdater } from '../../search/replica/replica-updater.js';
import { maxLagMs } from '../../search/replica/replicated-search-index.js';
import { ProcessFailed } from '../run-in-process.js';
import type { ReplicaSnapshotStorage } from './begin-with-snapshot.js';
import { type MadeReplicaSnapshot, makeSnapshot, type ReplicaSnapshotSettings } from './make-snapshot.js';
import { withSnapshotStore } from './open-snapshot-store.js';
import { listSnapshots, removeSnapshotsExcept } from './snapshot-list.js';

/** Interval of the check for new redactions. Removed content must be removed from all snapshots. */
const pollMs = 5_000;
const retryMs = 60_000;
/** Pause after a failure. */
const pauseMs = 600_000;
/** Pause while there is nothing useful to copy, for example because the index is being rebuilt. */
const notYetMs = 30_000;
/** Number of snapshots that are kept. A node may still be fetching the older one when the newer one is complete. */
const keptSnapshots = 2;
const hourMs = 3_600_000;

export interface ReplicaSnapshotDeps {
  readonly settings: ReplicaSnapshotSettings;
  readonly intervalMs: number;
  readonly updater: Pick<ReplicaUpdater, 'replica' | 'lagMs'>;
  readonly committed: ReplicaSnapshotStorage;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Makes snapshots of the replica on the node that has the lease. New nodes start from them. A snapshot from before a
 * redaction still contains the redacted content, and is therefore removed within seconds.
 */
export class ReplicaSnapshots implements HealthSource {
  /** Kept snapshots, newest first; undefined until this node knows them. */
  private kept: readonly ReplicaSnapshotManifest[] | undefined;
  private problem: string | undefined;
  /** Time before which no snapshot is begun, by the clock of `performance`. */
  private notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: ReplicaSnapshotDeps) {}

  /** Seconds since the newest snapshot was begun; undefined while this node knows none. */
  get ageSeconds(): number | undefined {
    const [newest] = this.kept ?? [];
    return newest && Math.max(0, this.deps.clock.nowMs() - newest.takenMs) / 1_000;
  }

  job(): Job {
    return {
      name: 'replica-snapshot',
      isShared: true,
      onTakeOver: () => {
        this.kept = undefined;
      },
      onRunElsewhere: () => {
        this.kept = undefined;
        this.problem = undefined;
      },
      intervalMs: pollMs,
      retryMs,
      failure: 'the snapshots of the replica could not be kept up to date; will retry',
      run: async (signal) => {
        const kept = this.kept ?? (await this.load());
        await this.removeOutdated(kept);
        const replica = this.findReplica();
        if (replica && this.isDue()) await this.make(replica, signal);
        return 'idle';
      },
    };
  }

  async checkHealth(): Promise<HealthCheck[]> {
    const age = this.ageSeconds;
    const details = age === undefined ? {} : { ageSeconds: Math.round(age) };
    const isOverdue = age !== undefined && age * 1_000 > 2 * this.deps.intervalMs + hourMs;
    const name = 'replicaSnapshot';
    if (!isOverdue && this.problem === undefined) {
      const state =
        age === undefined ? 'Snapshots are scheduled' : `The newest snapshot is ${describeDuration(age * 1_000)} old`;
      return [{ name, status: 'ok', message: `${state}.`, details }];
    }
    const state =
      age === undefined ? 'No snapshot is known' : `The newest snapshot is ${describeDuration(age * 1_000)} old`;
    const message = `${state}; the log of the service says why. Until there is a newer one, new nodes take longer to be ready.`;
    return [{ name, status: 'warning', message, details }];
  }

  /** Lists the snapshots, and removes the remains of nodes that have ended. */
  private async load(): Promise<readonly ReplicaSnapshotManifest[]> {
    return this.inStore(async (store) => {
      const found = await listSnapshots(store);
      const complete = found.flatMap((one) => (one.kind === 'complete' ? [one.manifest] : []));
      return this.keep(store, complete);
    });
  }

  private async keep(store: ReplicaSnapshotStore, snapshots: readonly ReplicaSnapshotManifest[]) {
    const kept = snapshots.slice(0, keptSnapshots);
    await removeSnapshotsExcept(
      store,
      kept.map(({ name }) => name),
    );
    this.kept = kept;
    return kept;
  }

  /** Removes snapshots from before a redaction, and snapshots with writes that the database has lost in a failover. */
  private async removeOutdated(snapshots: readonly ReplicaSnapshotManifest[]): Promise<void> {
    const current: ReplicaSnapshotManifest[] = [];
    for (const one of snapshots) {
      const { position, redaction } = one.content;
      const isStored = await this.deps.committed.entryWrites.contains(position);
      if (isStored && !(await this.isRedactedSince(redaction))) current.push(one);
    }
    if (current.length === snapshots.length) return;
    await this.inStore((store) => this.keep(store, current));
    const count = snapshots.length - current.length;
    this.deps.log.info({ count }, 'outdated snapshots of the replica were removed');
    // This makes the next snapshot due immediately.
    this.notBeforeMs = Number.NEGATIVE_INFINITY;
  }

  private async isRedactedSince(redaction: number): Promise<boolean> {
    return (await this.deps.committed.redactions.listRedactions(redaction, 1)).length > 0;
  }

  /**
   * Returns the replica; undefined while it is behind, because a new node would have to copy the missing writes itself.
   */
  private findReplica(): EntryReplica | undefined {
    const { replica, lagMs } = this.deps.updater;
    return lagMs !== undefined && lagMs <= maxLagMs ? replica : undefined;
  }

  private isDue(): boolean {
    if (performance.now() < this.notBeforeMs) return false;
    const [newest] = this.kept ?? [];
    if (!newest || !isUsable(newest.content)) return true;
    // The absolute value makes a snapshot due even if the clock was set back.
    return Math.abs(this.deps.clock.nowMs() - newest.takenMs) >= this.deps.intervalMs;
  }

  private async make(replica: EntryReplica, signal: AbortSignal): Promise<void> {
    // The replica may be closed later, and cannot be read then.
    const { redaction } = replica;
    if (await this.isRedactedSince(redaction)) return;
    const redacted = new AbortController();
    const watch = setInterval(() => {
      const check = this.isRedactedSince(redaction).catch(() => false);
      void check.then((isRedacted) => isRedacted && redacted.abort());
    }, pollMs);
    try {
      await this.inStore((store) => this.makeIn(store, replica, AbortSignal.any([signal, redacted.signal])));
      this.problem = undefined;
    } catch (error) {
      signal.throwIfAborted();
      // The copy contains content that was redacted in the meantime. The next run removes older snapshots and makes
      // another.
      if (redacted.signal.aborted) return;
      // The replica had writes that the database has lost, and its files are being removed: the next run copies its
      // successor.
      if (this.deps.updater.replica !== replica) return;
      this.problem = (error as Error).message;
      this.notBeforeMs = performance.now() + pauseMs;
      throw error instanceof ProcessFailed ? new Error(explain(error.message)) : error;
    } finally {
      clearInterval(watch);
    }
  }

  private async makeIn(store: ReplicaSnapshotStore, replica: EntryReplica, signal: AbortSignal): Promise<void> {
    const { settings, clock, committed, log } = this.deps;
    const startedMs = performance.now();
    const name = nextSnapshotName(await store.list());
    const made = await makeSnapshot(settings, { name, takenMs: clock.nowMs(), replica, store, signal, committed });
    if (!made) {
      this.notBeforeMs = performance.now() + notYetMs;
      return;
    }
    await this.keep(store, [made.manifest, ...(this.kept ?? [])]);
    log.info(
      { ...describe(made), durationMs: Math.round(performance.now() - startedMs) },
      'snapshot of the replica made',
    );
  }

  private inStore<T>(work: (store: ReplicaSnapshotStore) => Promise<T>): Promise<T> {
    return withSnapshotStore({ ...this.deps.settings, log: this.deps.log }, work);
  }
}

function explain(reason: string): string {
  return `${reason.replace(/[.]?$/, '.')} Until there is a newer snapshot, new nodes take longer to be ready.`;
}

function describe({ manifest: { name, parts } }: MadeReplicaSnapshot) {
  const sum = (of: (part: (typeof parts)[number]) => number) => parts.reduce((total, part) => total + of(part), 0);
  return { snapshot: name, bytes: sum(({ bytes }) => bytes), storedBytes: sum(({ storedBytes }) => storedBytes) };
}
