import type { CommittedEntryWrite } from '../../entries/entry-writes.port.js';
import type { RedactionReader } from '../../entries/redaction-store.port.js';
import type { Fault } from '../../kernel/fault.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { listedWrites, WriteFollower, type WriteFollowerDeps } from '../../search/write-follower.js';
import type { IndexBuilder } from './index-builder.js';
import type { IndexWriter } from './index-writer.js';
import { indexBuilding, toSearchFault } from './opensearch-errors.js';
import { untilSuccessor } from './removed-index.js';
import type { Cursor, FoundIndex, SearchIndexes } from './search-indexes.js';

const intervalMs = 1_000;
/** Interval between two checks of which index is in use, and whether the storage has all writes in that index. */
const checkMs = 2_000;
/** Minimum interval between two writes of the cursor, from which another node or the next run continues. */
const storeMs = 1_000;
/** Time limit for counting the unindexed writes. */
const countTimeoutMs = 2_000;
/** Maximum number of missing writes that a node indexes itself; above it, the index builder takes over. */
const maxOwnWrites = 2_000;

export interface IndexUpdaterDeps extends WriteFollowerDeps {
  readonly redactions: Pick<RedactionReader, 'listRedactions'>;
  readonly indexes: SearchIndexes;
  readonly writer: IndexWriter;
  readonly builder: IndexBuilder;
}

/** Index that this node searches, and its known state. */
interface Followed {
  readonly index: FoundIndex;
  position: string | undefined;
  /** Positions after `position` whose writes are indexed but not final. */
  ahead: ReadonlySet<string>;
  /** Whether the index contains writes that are not visible to searches yet. */
  needsRefresh: boolean;
  needsStore: boolean;
}

/**
 * Indexes the writes that the searches of this node must find, unless another node already has. A write that several
 * nodes index at the same time is stored once.
 */
export class IndexUpdater extends WriteFollower {
  private followed: Followed | undefined;
  private foundMs = Number.NEGATIVE_INFINITY;
  private storedMs = Number.NEGATIVE_INFINITY;
  private failure: Fault | undefined;
  /** Whether the index is being built while nodes of an earlier version can still search theirs. */
  hasPredecessor = false;

  constructor(private readonly deps: IndexUpdaterDeps) {
    super(deps, { name: 'search-indexing', intervalMs, failure: 'search indexing failed; will retry' });
  }

  /**
   * Returns the name of an index in which searches find all writes acknowledged before the call.
   * @throws Fault unavailable, OpenSearchError when there is no such index
   */
  async getIndexName(): Promise<string> {
    await this.catchUp();
    if (!this.followed) throw this.building();
    return this.followed.index.name;
  }

  /** Makes the next search determine the current index again. */
  forget(): void {
    // Searches that are about to use the followed index keep it.
    this.foundMs = Number.NEGATIVE_INFINITY;
  }

  /** Reason why the last attempt to catch up failed; undefined if it succeeded. */
  get refusal(): Fault | undefined {
    return this.failure;
  }

  /** Counts the writes that the index lacks; undefined: unknown. Never rejects. */
  async countMissing(): Promise<number | undefined> {
    const { followed } = this;
    const count = () => followed && this.deps.entryWrites.countAfter(followed.position);
    return withTimeout(countTimeoutMs, count).catch(() => undefined);
  }

  override async close(): Promise<void> {
    await super.close();
    // The next run would only repeat some work without the stored cursor.
    await this.storeCursor().catch(() => undefined);
  }

  protected async follow(signal: AbortSignal): Promise<'idle'> {
    try {
      await untilSuccessor((isAgain) => {
        if (isAgain) this.forget();
        return this.followOnce(signal);
      }, signal);
      this.failure = undefined;
      return 'idle';
    } catch (error) {
      this.failure = toSearchFault(error);
      throw error;
    }
  }

  private async followOnce(signal: AbortSignal): Promise<void> {
    const startedMs = this.clock.elapsedMs();
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
    if (this.clock.elapsedMs() - this.storedMs > storeMs) await this.storeCursor();
  }

  /** Lists the writes that this node does not know to be indexed. */
  private async listMissing(followed: Followed, signal: AbortSignal): Promise<CommittedEntryWrite[]> {
    for (let hasAdopted = false; ; hasAdopted = true) {
      const missing: CommittedEntryWrite[] = [];
      for await (const writes of this.listAfter(followed.position, signal)) {
        missing.push(...writes);
        if (missing.length > maxOwnWrites) break;
      }
      if (missing.length < listedWrites) return missing;
      if (!hasAdopted && (await this.adoptCursor(followed))) continue;
      if (missing.length <= maxOwnWrites) return missing;
      this.deps.builder.trigger();
      throw this.building();
    }
  }

  /** Continues from the stored cursor of another node if it is further ahead. */
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

  /**
   * Requires that the storage has every write in the index; otherwise the index is rebuilt. @throws Fault unavailable
   */
  private async requireStored(followed: Followed, listed: readonly CommittedEntryWrite[]): Promise<void> {
    const { indexes, builder } = this.deps;
    const positions = new Set(listed.map(({ position }) => position));
    const unlisted = [...followed.ahead].filter((position) => !positions.has(position));
    const isPositionStored = () => this.isPositionStored(followed.position, listed.length > 0);
    if ((await this.areStored(unlisted)) && (await isPositionStored())) return;
    const invalid = 'it contains writes that the database does not have';
    await indexes.storeCursor(followed.index.name, { position: undefined, ahead: [], invalid });
    this.followed = undefined;
    builder.trigger();
    throw this.building();
  }

  private async findFollowed(): Promise<Followed> {
    const { indexes, builder, redactions } = this.deps;
    const nowMs = this.clock.elapsedMs();
    if (this.followed && nowMs - this.foundMs < checkMs) return this.followed;
    const index = await this.findIndex();
    const cursor = index && (await indexes.readCursor(index.name));
    this.foundMs = nowMs;
    this.checkSoon();
    if (!index || !cursor || index.format !== indexes.format || cursor.invalid !== undefined) {
      this.followed = undefined;
      this.hasPredecessor = index === undefined && (await indexes.listEarlier()).length > 0;
      builder.trigger();
      throw this.building();
    }
    const removed = await redactions.listRedactions(index.redaction, 1);
    // Searches use this index until the new one is complete. In the meantime, its files may still contain redacted
    // content, but no search finds it.
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
      // If OpenSearch is unreachable, nodes of an earlier version cannot search either.
      this.hasPredecessor = false;
      throw error;
    }
  }

  private async storeCursor(): Promise<void> {
    const { followed } = this;
    if (!followed?.needsStore) return;
    followed.needsStore = false;
    this.storedMs = this.clock.elapsedMs();
    const { position, ahead, index } = followed;
    await this.deps.indexes.storeCursor(index.name, { position, ahead: [...ahead] } satisfies Cursor);
  }

  private building() {
    const { indexed, all } = this.deps.builder.progress;
    return indexBuilding(indexed, all);
  }
}
