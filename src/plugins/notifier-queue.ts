import { setImmediate } from 'node:timers/promises';
import { decodeEntry, type StoredEntry } from '../entries/entry-json.js';
import type { Log } from '../kernel/log.js';
import type { NamedPlugin } from './plugin.js';
import { withinTime } from './with-timeout.js';

const limitMs = 10_000;
const maxRunning = 4;
const maxWaiting = 1_000;
const maxWaitingBytes = 32_000_000;

/** Tells one notifier of new entries, in their order, a few at a time; at most once each. */
export class NotifierQueue {
  private readonly waiting: StoredEntry[] = [];
  private waitingBytes = 0;
  private readonly running = new Set<Promise<void>>();
  private dropped = 0;
  private readonly stop = new AbortController();

  constructor(
    private readonly notifier: NamedPlugin,
    private readonly log: Log,
  ) {}

  add(news: StoredEntry): void {
    const { name: plugin } = this.notifier;
    const full = this.waiting.length >= maxWaiting || this.waitingBytes + news.json.byteLength > maxWaitingBytes;
    if (this.stop.signal.aborted || (full && this.waiting.length > 0)) {
      if (this.dropped === 0) this.log.warn({ plugin }, 'a notifier is too slow and misses new entries');
      this.dropped += 1;
      return;
    }
    this.waiting.push(news);
    this.waitingBytes += news.json.byteLength;
    this.startNext();
  }

  /** Waits so long for what is running and waiting; the rest is not told. */
  async close(waitMs: number): Promise<void> {
    const timer = setTimeout(() => {
      this.dropped += this.waiting.splice(0).length;
      this.stop.abort(new DOMException('the service stops', 'AbortError'));
    }, waitMs);
    while (this.running.size > 0) await Promise.all(this.running);
    clearTimeout(timer);
    this.stop.abort();
    this.reportDropped();
  }

  private startNext(): void {
    while (this.running.size < maxRunning) {
      const news = this.waiting.shift();
      if (!news) {
        this.reportDropped();
        return;
      }
      this.waitingBytes -= news.json.byteLength;
      const run = this.tell(news).finally(() => {
        this.running.delete(run);
        this.startNext();
      });
      this.running.add(run);
    }
  }

  private async tell({ id: entryId, json }: StoredEntry): Promise<void> {
    const { name, plugin } = this.notifier;
    // The response to the author goes first. Each notifier gets a copy of its own, which it may change.
    await setImmediate();
    try {
      await withinTime(limitMs, (signal) => plugin.notifier?.(decodeEntry(json), signal), this.stop.signal);
    } catch (error) {
      this.log.warn({ err: error, plugin: name, entryId }, 'a notifier failed');
    }
  }

  private reportDropped(): void {
    if (this.dropped === 0) return;
    this.log.warn({ plugin: this.notifier.name, entries: this.dropped }, 'a notifier was not told of new entries');
    this.dropped = 0;
  }
}
