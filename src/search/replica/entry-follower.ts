import { setImmediate as nextRound } from 'node:timers/promises';
import type { Entry } from '../../entries/entry.js';
import type { EntryCopy, EntryCopyReader } from '../../entries/entry-copies.port.js';
import type { EntryWrite, EntryWriteReader } from '../../entries/entry-writes.port.js';
import { listTextFiles } from '../../entries/searchable-entry.js';
import type { BackgroundJob } from '../../kernel/background-job.js';
import { type MonotonicClock, monotonicClock } from '../../kernel/clock.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import type { EntryReplica, ReplicaPlace, ReplicatedEntry } from './entry-replica.port.js';

/** How often the storage is asked for new writes without a notification, which may be lost. */
const pollMs = 500;
const retryMs = 500;
/** How often at least the position is checked against the storage, which may have been put back from a copy. */
const checkMs = 1_000;
const listedWrites = 256;
/** Of one transaction of the replica, which blocks the event loop. */
const transactionEntries = 32;
const transactionBytes = 262_144;
const archivedVersions = 8;

export interface FollowerDeps {
  readonly entryWrites: EntryWriteReader;
  readonly entryCopies: EntryCopyReader;
  readonly place: ReplicaPlace;
  readonly jobs: JobRegistry;
  readonly log: Log;
  readonly clock?: MonotonicClock;
}

/** How far the replica is while it has not caught up. */
export interface FollowProgress {
  readonly copied: number;
  readonly all: number;
}

/**
 * Keeps the replica of this node up to date: copies each entry after its write, in the order of the writes. A replica
 * that has followed writes which the storage does not have is removed and built again.
 */
export class EntryFollower {
  /** Undefined while it is being replaced. */
  replica: EntryReplica | undefined;
  /** When the replica contained all writes last, by the monotonic clock; undefined: never. */
  private caughtUpMs: number | undefined;
  private progressed: FollowProgress | undefined;
  private checkedMs = Number.NEGATIVE_INFINITY;
  private readonly job: BackgroundJob;
  private readonly clock: MonotonicClock;

  private constructor(
    private readonly deps: FollowerDeps,
    replica: EntryReplica,
  ) {
    this.replica = replica;
    this.clock = deps.clock ?? monotonicClock;
    this.job = deps.jobs.start({
      name: 'entry-replication',
      intervalMs: pollMs,
      retryMs,
      failure: 'following the entries of the storage failed; will retry',
      run: (signal) => this.follow(signal),
    });
    this.job.trigger();
  }

  static async start(deps: FollowerDeps): Promise<EntryFollower> {
    return new EntryFollower(deps, await deps.place.open());
  }

  /** Must be called when entries may have been written. */
  onWrite(): void {
    this.job.trigger();
  }

  /** Resolves when the replica contains all writes that the storage listed when this was called. */
  catchUp(): Promise<void> {
    return this.job.runNow();
  }

  /** For how long the replica may lack writes; undefined: it never contained all of them. */
  get lagMs(): number | undefined {
    return this.caughtUpMs === undefined ? undefined : this.clock.elapsedMs() - this.caughtUpMs;
  }

  /** While the replica catches up with many writes. */
  get progress(): FollowProgress | undefined {
    return this.progressed;
  }

  /** Resolves when nothing is followed any more, and the replica is closed. */
  async close(): Promise<void> {
    await this.job.stop();
    await this.replica?.close();
  }

  private async follow(signal: AbortSignal): Promise<'more' | 'idle'> {
    const { entryWrites } = this.deps;
    const replica = await this.findReplica();
    const { position } = replica;
    const startedMs = this.clock.elapsedMs();
    const writes = await entryWrites.listAfter(position, listedWrites);
    // After the list: if the storage was put back in between, what is listed may follow a gap.
    if (!(await this.isFollowed(position, writes.length > 0)) || replica.isDamaged) {
      await this.replace(replica);
      return 'more';
    }
    const hasMore = writes.length === listedWrites;
    if (hasMore) await this.noteProgress(position);
    for (let rest: readonly EntryWrite[] = writes; rest.length > 0; ) {
      signal.throwIfAborted();
      rest = await this.copySome(replica, rest);
      await nextRound();
    }
    if (hasMore) return 'more';
    this.caughtUpMs = startedMs;
    this.progressed = undefined;
    return 'idle';
  }

  private async findReplica(): Promise<EntryReplica> {
    this.replica ??= await this.deps.place.open();
    return this.replica;
  }

  /** Whether the storage contains all that the replica has followed. */
  private async isFollowed(position: string | undefined, hasWrites: boolean): Promise<boolean> {
    const nowMs = this.clock.elapsedMs();
    if (position === undefined || (!hasWrites && nowMs < this.checkedMs + checkMs)) return true;
    const contains = await this.deps.entryWrites.contains(position);
    this.checkedMs = nowMs;
    return contains;
  }

  private async replace(replica: EntryReplica): Promise<void> {
    const reason = replica.isDamaged ? 'it is damaged' : 'it has followed writes that the database does not have';
    this.deps.log.warn({ reason }, 'replica of the entries is built again; searches on this node wait for it');
    this.replica = undefined;
    this.caughtUpMs = undefined;
    this.progressed = undefined;
    await replica.close();
    this.deps.place.remove();
  }

  private async noteProgress(position: string | undefined): Promise<void> {
    if (this.progressed) return;
    this.progressed = { copied: 0, all: await this.deps.entryWrites.countAfter(position) };
    this.deps.log.info({ writes: this.progressed.all }, 'replica of the entries is catching up');
  }

  /** Copies the first of the writes; returns the others. */
  private async copySome(replica: EntryReplica, writes: readonly EntryWrite[]): Promise<readonly EntryWrite[]> {
    const ids = writes.slice(0, transactionEntries).map(({ id }) => id);
    const copies = await this.deps.entryCopies.listCurrent(ids, transactionBytes);
    const last = copies.at(-1);
    // Entries are never removed: if none of them is there, the storage has just been put back from an older copy.
    if (!last) throw new Error(`entry ${ids[0]} was listed and is not stored`);
    const entries: ReplicatedEntry[] = [];
    for (const entry of copies) {
      await this.copyArchived(replica, entry);
      entries.push({ entry, texts: await this.readTexts(replica, entry) });
    }
    const done = ids.indexOf(last.id) + 1;
    replica.store(entries, writes[done - 1]?.position ?? '');
    if (this.progressed) this.progressed = { ...this.progressed, copied: this.progressed.copied + done };
    return writes.slice(done);
  }

  /** What the index knows of an entry, it removes by the versions since. */
  private async copyArchived(replica: EntryReplica, { id, version }: EntryCopy): Promise<void> {
    for (let from = Math.max(1, replica.versionOf(id)); from < version; ) {
      const archived = await this.deps.entryCopies.listArchived(id, from, version, archivedVersions);
      if (archived.length > 0) replica.storeArchived(id, archived);
      if (archived.length < archivedVersions) return;
      from = (archived.at(-1)?.version ?? version) + 1;
      await nextRound();
    }
  }

  private async readTexts(replica: EntryReplica, { document }: EntryCopy): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    for (const checksum of textFilesOf(document)) {
      if (replica.hasText(checksum)) continue;
      const text = await this.deps.entryCopies.findText(checksum);
      if (text !== undefined) texts.set(checksum, text);
    }
    return texts;
  }
}

function textFilesOf(document: string): string[] {
  try {
    return listTextFiles(JSON.parse(document) as Entry);
  } catch {
    // A damaged document has no files that could be searched; it is reported by those who read it.
    return [];
  }
}
