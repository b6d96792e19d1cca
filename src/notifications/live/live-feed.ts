import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../kernel/log.js';
import { TimeSlicedQueue } from '../../kernel/time-sliced-queue.js';
import type { NotificationStorage } from '../notification-storage.js';
import { EntryNotification } from './announcement.js';
import { EntryCache } from './entry-cache.js';

/** Takes changes in their order. It waits for nothing, and throws nothing. */
export type LiveListener = (batch: readonly EntryNotification[]) => void;

const batchChanges = 100;
/** Longer texts make a batch shorter, so that it holds little memory. */
const batchBytes = 1_000_000;
const retryMs = 1_000;
/** For which clients are told in a row. */
const tellMs = 2;

/**
 * The one reader of the change feed for all live clients. It begins at the newest change, reads what is committed after
 * it, and hands it on: what is announced can be read.
 */
export class LiveFeed {
  readonly turns = new TimeSlicedQueue();
  readonly entries: EntryCache;
  private readonly listeners = new Set<LiveListener>();
  private readonly waiting = new Set<() => void>();
  private readonly stopping = new AbortController();
  private wanted = false;
  private running: Promise<void> | undefined;
  private readonly forgetCommits: () => void;

  private constructor(
    private readonly storage: NotificationStorage,
    private readonly log: Log,
    /** The newest change that is known to be committed. */
    private newest: number,
  ) {
    this.entries = new EntryCache(storage.committed.entries, this.turns);
    this.forgetCommits = storage.onCommit((commit) => {
      if (!commit.feed) return;
      this.entries.forget();
      this.wake();
    });
  }

  static async start(storage: NotificationStorage, log: Log): Promise<LiveFeed> {
    const feed = new LiveFeed(storage, log, await storage.committed.feed.newest());
    feed.wake();
    return feed;
  }

  /** From the next change that is committed on; returns the way to stop that. */
  subscribe(listener: LiveListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves when there are changes after that position, or when nobody waits any more. */
  async waitAfter(sequence: number, signal: AbortSignal): Promise<void> {
    while (this.newest <= sequence && !signal.aborted && !this.stopping.signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        this.waiting.add(done);
        signal.addEventListener('abort', done);
      });
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.forgetCommits();
    this.wakeWaiting();
    await this.running;
  }

  private wake(): void {
    this.wanted = true;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      // A commit may come after the last look and before this.
      if (this.wanted && !this.stopping.signal.aborted) this.wake();
    });
  }

  private async run(): Promise<void> {
    while (this.wanted && !this.stopping.signal.aborted) {
      this.wanted = false;
      try {
        while (await this.readBatch());
      } catch (error) {
        this.log.error({ err: error }, 'reading the change feed failed; will retry');
        this.wanted = true;
        await sleep(retryMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** True when there may be more. */
  private async readBatch(): Promise<boolean> {
    if (this.stopping.signal.aborted) return false;
    const from = this.newest;
    const changes = await this.turns.run(() => this.storage.committed.feed.listAfter(from, batchChanges));
    const batch: EntryNotification[] = [];
    let bytes = 0;
    let position = from;
    for (const change of changes) {
      if (this.listeners.size > 0 && change.notify) {
        const current = await this.entries.find(change.entryId, change.version);
        if (current) batch.push(new EntryNotification(change, current));
        bytes += current ? current.json.byteLength : 0;
      }
      position = change.sequence;
      if (bytes > batchBytes) break;
    }
    this.newest = position;
    if (position > from) this.wakeWaiting();
    if (batch.length > 0) {
      const all = this.listeners.values();
      while (await this.turns.run(() => this.tellSome(all, batch)));
    }
    return changes.length === batchChanges || position !== (changes.at(-1)?.sequence ?? from);
  }

  /** As many as go into a turn of their own; false when all were told. */
  private tellSome(all: Iterator<LiveListener>, batch: readonly EntryNotification[]): boolean {
    const untilMs = performance.now() + tellMs;
    for (let next = all.next(); !next.done; next = all.next()) {
      try {
        next.value(batch);
      } catch (error) {
        this.log.error({ err: error }, 'notifying a live client failed');
      }
      if (performance.now() > untilMs) return true;
    }
    return false;
  }

  private wakeWaiting(): void {
    for (const done of [...this.waiting]) done();
  }
}
