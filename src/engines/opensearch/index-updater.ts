import type { CommittedEntryWrite, EntryWriteReader } from '../../entries/entry-writes.port.js';
import type { RedactionReader } from '../../entries/redaction-store.port.js';
import type { BackgroundJob } from '../../kernel/background-job.js';
import { monotonicClock } from '../../kernel/clock.js';
import type { Fault } from '../../kernel/fault.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import type { IndexBuilder } from './index-builder.js';
import type { IndexWriter } from './index-writer.js';
import { indexBuilding, mayBeRemoved, toSearchFault } from './opensearch-errors.js';
import type { Cursor, FoundIndex, SearchIndexes } from './search-indexes.js';

/** Interval between reads of new writes without a notification, because notifications may be lost. */
const pollMs = 1_000;
/** Delay after a notification, so that one round indexes several writes. Searches do not wait for it. */
const delayMs = 100;
const retryMs = 1_000;
/** Interval between checks of which index is in use, and whether it contains only writes that the storage has. */
const checkMs = 2_000;
/** How often the cursor is stored, from which another node or the next run continues. */
const storeMs = 1_000;
/** Maximum time for counting the writes that are not indexed. */
const countTimeoutMs = 2_000;
const listedWrites = 256;
/** Maximum number of missing writes that a node indexes itself; more are left to the node that builds the index. */
const maxOwnWrites = 2_000;

export interface IndexUpdaterDeps {
  readonly entryWrites: EntryWriteReader;
  readonly redactions: Pick<RedactionReader, 'listRedactions'>;
  readonly indexes: SearchIndexes;
  readonly writer: IndexWriter;
  readonly builder: IndexBuilder;
  readonly jobs: JobRegistry;
  readonly log: Log;
}

/** The index that this node searches, and what this node knows of it. */
interface Followed {
  readonly index: FoundIndex;
  position: string | undefined;
  ahead: ReadonlySet<string>;
  /** Whether the index contains writes that searches do not see yet. */
  needsRefresh: boolean;
  needsStore: boolean;
}

/**
 * Keeps the index up to date as far as this node needs it: the node indexes what its searches must find, unless another
 * node already has. A write that several nodes index at the same time is stored once.
 */
export class IndexUpdater {
  private followed: Followed | undefined;
  private checkedMs = Number.NEGATIVE_INFINITY;
  private storedMs = Number.NEGATIVE_INFINITY;
  /** Whether the position is to be checked against the storage, which may have been restored from a copy. */
  private isDue = true;
  private caughtUpMs: number | undefined;
  private failure: Fault | undefined;
  /** Whether the index is being built while nodes of an earlier version may search in theirs. */
  hasPredecessor = false;
  private readonly job: BackgroundJob;

  constructor(private readonly deps: IndexUpdaterDeps) {
    this.job = deps.jobs.start({
      name: 'search-indexing',
      intervalMs: pollMs,
      delayMs,
      retryMs,
      failure: 'search indexing failed; will retry',
      run: (signal) => this.run(signal),
    });
    this.job.trigger();
  }

  /** Must be called when entries may have been written. */
  onWrite(): void {
    this.job.trigger();
  }

  /**
   * Resolves with the name of an index in which searches find all writes that were acknowledged before this was called.
   * @throws Fault unavailable, OpenSearchError when there is none
   */
  async catchUp(): Promise<string> {
    await this.job.runNow();
    if (!this.followed) throw this.building();
    return this.followed.index.name;
  }

  /** Checks again which index is in use, before the next search. */
  forget(): void {
    this.followed = undefined;
  }

  /** Why the last attempt to catch up failed; undefined when it did not. */
  get refusal(): Fault | undefined {
    return this.failure;
  }

  /**
   * Maximum age of a write that the index may lack, in milliseconds; undefined: it has not been complete since the
   * start.
   */
  get lagMs(): number | undefined {
    return this.caughtUpMs === undefined ? undefined : monotonicClock.elapsedMs() - this.caughtUpMs;
  }

  /** Counts the writes that the index does not contain; undefined: it is not known. Never rejects. */
  async countMissing(): Promise<number | undefined> {
    const { followed } = this;
    const count = () => followed && this.deps.entryWrites.countAfter(followed.position);
    return withTimeout(countTimeoutMs, count).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.job.stop();
    // The next run would do some work again without it.
    await this.storeCursor().catch(() => undefined);
  }

  private async run(signal: AbortSignal): Promise<'idle'> {
    try {
      await this.followAgain(signal);
      this.failure = undefined;
      return 'idle';
    } catch (error) {
      this.failure = toSearchFault(error);
      throw error;
    }
  }

  private async followAgain(signal: AbortSignal): Promise<void> {
    try {
      await this.follow(signal);
    } catch (error) {
      if (!mayBeRemoved(error)) throw error;
      this.followed = undefined;
      await this.follow(signal);
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const startedMs = monotonicClock.elapsedMs();
    const followed = await this.findFollowed();
    const missing = await this.listMissing(followed, signal);
    const fresh = missing.filter(({ position }) => !followed.ahead.has(position));
    if (fresh.length > 0) {
      await this.deps.writer.write(followed.index.name, fresh, signal);
      followed.needsRefresh = true;
      followed.needsStore = true;
    }
    await this.requireStored(followed, missing);
    followed.position = missing.findLast(({ isFinal }) => isFinal)?.position ?? followed.position;
    followed.ahead = new Set(missing.filter(({ isFinal }) => !isFinal).map(({ position }) => position));
    if (followed.needsRefresh) await this.deps.indexes.refresh(followed.index.name);
    followed.needsRefresh = false;
    this.caughtUpMs = startedMs;
    if (monotonicClock.elapsedMs() - this.storedMs > storeMs) await this.storeCursor();
  }

  /** Lists the writes that this node does not know to be indexed. */
  private async listMissing(followed: Followed, signal: AbortSignal): Promise<CommittedEntryWrite[]> {
    const { entryWrites } = this.deps;
    for (let hasAdopted = false; ; hasAdopted = true) {
      const missing: CommittedEntryWrite[] = [];
      for (let { position } = followed; ; ) {
        signal.throwIfAborted();
        const writes = await entryWrites.listCommittedAfter(position, listedWrites);
        missing.push(...writes);
        position = writes.at(-1)?.position;
        if (writes.length < listedWrites || missing.length > maxOwnWrites) break;
      }
      const isMany = missing.length >= listedWrites;
      if (!isMany) return missing;
      if (!hasAdopted && (await this.adoptCursor(followed))) continue;
      if (missing.length <= maxOwnWrites) return missing;
      this.deps.builder.trigger();
      throw this.building();
    }
  }

  /** Continues from the position of another node, if that is further ahead. */
  private async adoptCursor(followed: Followed): Promise<boolean> {
    const { entryWrites, indexes } = this.deps;
    const cursor = await indexes.readCursor(followed.index.name);
    if (cursor.position === followed.position || cursor.position === undefined) return false;
    const [left, own] = [
      await entryWrites.countAfter(cursor.position),
      await entryWrites.countAfter(followed.position),
    ];
    if (left >= own) return false;
    followed.position = cursor.position;
    followed.ahead = new Set(cursor.ahead);
    followed.needsRefresh = true;
    return true;
  }

  /** @throws Fault unavailable when the index contains what the storage does not have; it is then rebuilt */
  private async requireStored(followed: Followed, listed: readonly CommittedEntryWrite[]): Promise<void> {
    const { entryWrites, indexes, builder } = this.deps;
    const positions = new Set(listed.map(({ position }) => position));
    const unlisted = [...followed.ahead].filter((position) => !positions.has(position));
    if (followed.position !== undefined && (listed.length > 0 || this.isDue)) unlisted.push(followed.position);
    this.isDue = false;
    for (const position of unlisted) {
      if (await entryWrites.contains(position)) continue;
      const invalid = 'it contains writes that the database does not have';
      await indexes.storeCursor(followed.index.name, { position: undefined, ahead: [], invalid });
      this.followed = undefined;
      builder.trigger();
      throw this.building();
    }
  }

  private async findFollowed(): Promise<Followed> {
    const { indexes, builder, redactions } = this.deps;
    const nowMs = monotonicClock.elapsedMs();
    if (this.followed && nowMs - this.checkedMs < checkMs) return this.followed;
    const index = await this.findIndex();
    const cursor = index && (await indexes.readCursor(index.name));
    this.checkedMs = nowMs;
    this.isDue = true;
    if (!index || !cursor || index.format !== indexes.format || cursor.invalid !== undefined) {
      this.followed = undefined;
      this.hasPredecessor = index === undefined && (await indexes.listEarlier()).length > 0;
      builder.trigger();
      throw this.building();
    }
    const removed = await redactions.listRedactions(index.redaction, 1);
    // Searches use this index until the new one is complete: it finds nothing that was removed.
    if (!index.isSorted || removed.length > 0) builder.trigger();
    this.hasPredecessor = false;
    if (this.followed?.index.uuid !== index.uuid) {
      const { position, ahead } = cursor;
      this.followed = { index, position, ahead: new Set(ahead), needsRefresh: true, needsStore: false };
    }
    return this.followed;
  }

  private async findIndex(): Promise<FoundIndex | undefined> {
    try {
      return await this.deps.indexes.findCurrent();
    } catch (error) {
      // While OpenSearch is unreachable, no other node can search either.
      this.hasPredecessor = false;
      throw error;
    }
  }

  private async storeCursor(): Promise<void> {
    const { followed } = this;
    if (!followed?.needsStore) return;
    followed.needsStore = false;
    this.storedMs = monotonicClock.elapsedMs();
    const { position, ahead, index } = followed;
    await this.deps.indexes.storeCursor(index.name, { position, ahead: [...ahead] } satisfies Cursor);
  }

  private building() {
    const { indexed, all } = this.deps.builder.progress;
    return indexBuilding(indexed, all);
  }
}
