import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { EntryWriteReader } from '../../entries/entry-writes.port.js';
import type { RedactionReader } from '../../entries/redaction-store.port.js';
import type { BackgroundJob } from '../../kernel/background-job.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import { nextRound } from '../../kernel/time-slice.js';
import type { IndexWriter } from './index-writer.js';
import { OpenSearchError } from './opensearch-errors.js';
import { untilSuccessor } from './removed-index.js';
import type { Cursor, FoundIndex, SearchIndexes } from './search-indexes.js';

const batchWrites = 512;
const retryMs = 2_000;
const listedRedactions = 100;
/**
 * Time to wait before an index with missing writes counts as abandoned: much longer than a node takes to store its
 * progress.
 */
const followedWithinMs = 10_000;

export interface BuilderDeps {
  readonly entryWrites: EntryWriteReader;
  readonly redactions: Pick<RedactionReader, 'listRedactions'>;
  readonly indexes: SearchIndexes;
  readonly writer: IndexWriter;
  readonly jobs: JobRegistry;
  readonly log: Log;
}

export interface BuildProgress {
  readonly indexed: number;
  /** Total number of writes; 0: unknown. */
  readonly all: number;
}

interface Target {
  readonly name: string;
  cursor: Cursor;
  /** Whether this is a new index, which searches use only once it is complete. */
  readonly isNew: boolean;
  /** Number of the newest redaction when this target was chosen. */
  readonly redaction: number;
}

/**
 * Indexes many writes: all writes into a new index that replaces the current one when complete, or the writes since an
 * outage. One node builds at a time; if several overlap briefly, they store the same documents.
 */
export class IndexBuilder {
  private readonly job: BackgroundJob;
  private target: Target | undefined;
  private known: BuildProgress = { indexed: 0, all: 0 };
  /** Reason why a new index was requested. */
  private requested: string | undefined;
  private onProgress: ((indexed: number, all: number) => void) | undefined;

  constructor(private readonly deps: BuilderDeps) {
    const { format } = deps.indexes;
    this.job = deps.jobs.start({
      // Two versions of the program may build at the same time.
      name: format === 1 ? 'search-index-build' : `search-index-build-${format}`,
      retryMs,
      isShared: true,
      failure: 'building the search index failed; will retry',
      onTakeOver: () => {
        this.target = undefined;
      },
      run: (signal) => this.build(signal),
    });
  }

  get progress(): BuildProgress {
    return this.known;
  }

  trigger(): void {
    this.job.trigger();
  }

  /** Resolves when nothing is left to build, or another node is building. */
  async finish(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    this.onProgress = onProgress;
    await this.job.runNow();
  }

  /** Builds a new index that replaces the current one. */
  async rebuild(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    this.requested = 'a rebuild was requested';
    await this.finish(onProgress);
  }

  close(): Promise<void> {
    return this.job.stop();
  }

  private async build(signal: AbortSignal): Promise<'more' | 'idle'> {
    try {
      return await this.buildBatch(signal);
    } catch (error) {
      // The index was removed: the next attempt chooses a target again.
      if (error instanceof OpenSearchError && error.status === 404) this.target = undefined;
      throw error;
    }
  }

  private async buildBatch(signal: AbortSignal): Promise<'more' | 'idle'> {
    const { entryWrites, indexes, writer } = this.deps;
    this.target ??= await this.findTarget(signal);
    const { target } = this;
    const { position, ahead } = target.cursor;
    const writes = await entryWrites.listCommittedAfter(position, batchWrites);
    const known = new Set(ahead);
    await writer.write(
      target.name,
      writes.filter((write) => !known.has(write.position)),
      signal,
    );
    if (position !== undefined && !(await entryWrites.contains(position))) return this.startOver();
    const nowAhead = writes.filter(({ isFinal }) => !isFinal).map((write) => write.position);
    target.cursor = { position: writes.findLast(({ isFinal }) => isFinal)?.position ?? position, ahead: nowAhead };
    if (writes.length > 0) await indexes.storeCursor(target.name, target.cursor);
    this.note(writes.length);
    await nextRound();
    if (writes.length === batchWrites && nowAhead.length < batchWrites) return 'more';
    await this.complete(target);
    await untilSuccessor(() => this.removeEarlier(target.redaction, signal), signal);
    return 'idle';
  }

  private async findTarget(signal: AbortSignal): Promise<Target> {
    const { indexes, entryWrites, log } = this.deps;
    const { current, cursor } = await untilSuccessor(() => this.readCurrent(), signal);
    // Determined before anything is read, so that the new index contains nothing that this redaction removed.
    const redaction = await this.findNewestRedaction(current?.redaction ?? 0);
    const reason = this.findReason(current, cursor, redaction);
    if (reason === undefined && current && cursor) {
      this.known = { indexed: 0, all: await entryWrites.countAfter(cursor.position) };
      if (this.known.all > 0) log.info({ writes: this.known.all }, 'search index is catching up');
      return { name: current.name, cursor, isNew: false, redaction };
    }
    const unfinished = this.requested === undefined ? await indexes.findUnfinished(redaction) : undefined;
    const found = unfinished === undefined ? undefined : await indexes.readCursor(unfinished);
    const isUsable = unfinished !== undefined && found?.invalid === undefined;
    const name = isUsable ? unfinished : await indexes.create(redaction);
    const begun: Cursor = (isUsable ? found : undefined) ?? { position: undefined, ahead: [] };
    const left = await entryWrites.countAfter(begun.position);
    this.known = { indexed: 0, all: left };
    log.info({ index: name, reason, writes: left }, 'search index is being built');
    return { name, cursor: begun, isNew: true, redaction };
  }

  private async readCurrent(): Promise<{ current: FoundIndex | undefined; cursor: Cursor | undefined }> {
    const { indexes } = this.deps;
    const current = await indexes.findCurrent();
    return { current, cursor: current && (await indexes.readCursor(current.name)) };
  }

  /**
   * Returns the number of the newest redaction. After a redaction, a new index is built and the former one removed:
   * OpenSearch keeps removed content in the index files until it merges them, and does not report when it has.
   */
  private async findNewestRedaction(known: number): Promise<number> {
    for (let newest = known; ; ) {
      const last = (await this.deps.redactions.listRedactions(newest, listedRedactions)).at(-1);
      if (!last) return newest;
      newest = last.number;
    }
  }

  private findReason(index: FoundIndex | undefined, cursor: Cursor | undefined, redaction: number): string | undefined {
    if (index === undefined) return 'there was none';
    if (index.format !== this.deps.indexes.format) return 'it was written by another version of the program';
    if (!index.isSorted) return 'its entries are not in the order in which searches return them';
    if (index.redaction < redaction) return 'content was redacted after the index was created';
    return cursor?.invalid ?? this.requested;
  }

  /** Starts over after the storage was restored from an older copy. */
  private async startOver(): Promise<'more'> {
    const { indexes } = this.deps;
    const { target } = this;
    this.target = undefined;
    if (target) {
      const invalid = 'it contains writes that the database does not have';
      await indexes.storeCursor(target.name, { position: undefined, ahead: [], invalid });
    }
    this.requested ??= 'it contains writes that the database does not have';
    return 'more';
  }

  private async complete({ name, isNew }: Target): Promise<void> {
    const { indexes, log } = this.deps;
    this.target = undefined;
    await indexes.refresh(name);
    if (isNew) {
      await indexes.switchTo(name);
      this.requested = undefined;
      log.info({ index: name }, 'search index was built');
    }
    this.known = { indexed: 0, all: 0 };
  }

  /**
   * Removes indexes of earlier versions of the program once no node updates them. Also removes indexes with redacted
   * content: nodes of an earlier version that still use such an index build a new one.
   */
  private async removeEarlier(redaction: number, signal: AbortSignal): Promise<void> {
    const { indexes, log } = this.deps;
    for (const index of await indexes.listEarlier()) {
      if (index.redaction >= redaction && !(await this.isAbandoned(index.name, signal))) continue;
      await indexes.remove(index.name);
      log.info({ index: index.name }, 'search index of an earlier version was removed');
    }
  }

  private async isAbandoned(name: string, signal: AbortSignal): Promise<boolean> {
    const { indexes, entryWrites } = this.deps;
    const before = await indexes.readCursor(name);
    // Writes ahead of the position are already indexed.
    if ((await entryWrites.countAfter(before.position)) <= before.ahead.length) return false;
    await sleep(followedWithinMs, undefined, { signal });
    return isDeepStrictEqual(await indexes.readCursor(name), before);
  }

  private note(writes: number): void {
    const { indexed, all } = this.known;
    this.known = { indexed: indexed + writes, all: Math.max(all, indexed + writes) };
    this.onProgress?.(this.known.indexed, this.known.all);
  }
}
