import { isIntact } from '../../entries/change-feed.port.js';
import type { BackgroundJob } from '../../kernel/background-job.js';
import type { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import { TimeSlicedQueue } from '../../kernel/time-slice.js';
import { ageOfChange } from '../age-of-change.js';
import type { NotificationStorage } from '../notification-storage.js';
import { EntryCache } from './entry-cache.js';
import { DamageNotification, EntryNotification, type LiveNotification } from './entry-notification.js';

/** Receives notifications in the order of the changes. Must return immediately, and must not throw. */
export type LiveListener = (batch: readonly LiveNotification[]) => void;

export interface LiveFeedDeps {
  readonly storage: NotificationStorage;
  readonly jobs: JobRegistry;
  readonly log: Log;
}

const batchChanges = 100;
/** Number of bytes of JSON after which a batch ends early, to bound its memory. */
const batchBytes = 1_000_000;
const retryMs = 1_000;
/** Time for which listeners are notified before other work gets its turn. */
const sliceMs = 2;

/**
 * The only reader of the change feed for all live clients. It begins at the newest change, and notifies its listeners
 * of each later change after its commit, so that clients can already read the entry.
 */
export class LiveFeed {
  readonly turns = new TimeSlicedQueue();
  readonly entries: EntryCache;
  private readonly listeners = new Set<LiveListener>();
  private readonly waiting = new Set<() => void>();
  private readonly stopping = new AbortController();
  private readonly reader: BackgroundJob;
  private readonly stopListening: () => void;

  private constructor(
    private readonly deps: LiveFeedDeps,
    /** The newest change that is known to be committed. */
    private newest: number,
  ) {
    const { storage, jobs } = deps;
    this.entries = new EntryCache(storage.committed.entries, this.turns);
    this.reader = jobs.start({
      name: 'live-feed',
      retryMs,
      failure: 'reading the change feed failed; will retry',
      run: (signal) => this.readBatch(signal),
    });
    this.stopListening = storage.onCommit((commit) => {
      if (!commit.feed) return;
      this.entries.invalidate(commit.entryIds);
      this.reader.trigger();
    });
  }

  static async start(deps: LiveFeedDeps): Promise<LiveFeed> {
    const feed = new LiveFeed(deps, await deps.storage.committed.feed.newest());
    // Catches up with commits since the newest change was read.
    feed.reader.trigger();
    return feed;
  }

  /** Notifies the listener of every change from now on; returns a function that ends the subscription. */
  subscribe(listener: LiveListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves when there are changes after a position, when `signal` aborts, or when the feed stops. */
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

  /** Returns the age of the oldest change that listeners have not been notified of; 0 when there is none. */
  async lagMs(nowMs: number): Promise<number> {
    const [next] = await this.deps.storage.committed.feed.listAfter(this.newest, 1);
    return ageOfChange(next, nowMs);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.stopListening();
    this.wakeWaiting();
    await this.reader.stop();
  }

  private async readBatch(signal: AbortSignal): Promise<'more' | 'idle'> {
    if (signal.aborted) return 'idle';
    if (this.listeners.size === 0 && this.waiting.size === 0) {
      this.newest = await this.deps.storage.committed.feed.newest();
      this.wakeWaiting();
      return 'idle';
    }
    const from = this.newest;
    const changes = await this.turns.run(() => this.deps.storage.committed.feed.listAfter(from, batchChanges));
    const batch: LiveNotification[] = [];
    let bytes = 0;
    let position = from;
    for (const change of changes) {
      if (!isIntact(change)) batch.push(new DamageNotification());
      else if (this.listeners.size > 0 && change.notify) {
        const current = await this.entries.find(change.entryId, change.revision);
        if (current === 'damaged') batch.push(new DamageNotification());
        else if (current) {
          batch.push(new EntryNotification(change, current));
          bytes += current.json.byteLength;
        }
      }
      position = change.sequence;
      if (bytes > batchBytes) break;
    }
    this.newest = position;
    if (position > from) this.wakeWaiting();
    if (batch.length > 0) {
      const listeners = this.listeners.values();
      while (await this.turns.run(() => this.notifySome(listeners, batch)));
    }
    return changes.length === batchChanges || position !== (changes.at(-1)?.sequence ?? from) ? 'more' : 'idle';
  }

  /** Notifies as many listeners as fit into one slice; returns false when none are left. */
  private notifySome(listeners: Iterator<LiveListener>, batch: readonly LiveNotification[]): boolean {
    const untilMs = performance.now() + sliceMs;
    for (let next = listeners.next(); !next.done; next = listeners.next()) {
      try {
        next.value(batch);
      } catch (error) {
        this.deps.log.error({ err: error }, 'notifying a live client failed');
      }
      if (performance.now() > untilMs) return true;
    }
    return false;
  }

  private wakeWaiting(): void {
    for (const done of [...this.waiting]) done();
  }
}
