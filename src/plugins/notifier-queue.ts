import { decodeEntry, type StoredEntry } from '../entries/entry-json.js';
import { callContained, describeThrown } from '../kernel/contained-calls.js';
import type { Log } from '../kernel/log.js';
import { nextRound } from '../kernel/time-slice.js';
import { withTimeout } from '../kernel/with-timeout.js';
import type { NamedPlugin } from './plugin.js';

const timeLimitMs = 10_000;
const maxRunning = 4;
const maxWaiting = 1_000;
const maxWaitingBytes = 32_000_000;

/** Calls one notifier for new entries: in their order, a few at a time, at most once for each. */
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

  add(entry: StoredEntry): void {
    const { name: plugin } = this.notifier;
    const isFull = this.waiting.length >= maxWaiting || this.waitingBytes + entry.json.byteLength > maxWaitingBytes;
    if (this.stop.signal.aborted || (isFull && this.waiting.length > 0)) {
      if (this.dropped === 0) this.log.warn({ plugin }, 'notifier queue full; dropping entries');
      this.dropped += 1;
      return;
    }
    this.waiting.push(entry);
    this.waitingBytes += entry.json.byteLength;
    this.startNext();
  }

  /** Waits at most `waitMs` for the calls that run and wait; then aborts the former and drops the latter. */
  async close(waitMs: number): Promise<void> {
    const timer = setTimeout(() => {
      this.dropped += this.waiting.splice(0).length;
      this.stop.abort(new DOMException('the service is stopping', 'AbortError'));
    }, waitMs);
    while (this.running.size > 0) await Promise.all(this.running);
    clearTimeout(timer);
    this.stop.abort();
    this.reportDropped();
  }

  private startNext(): void {
    while (this.running.size < maxRunning) {
      const entry = this.waiting.shift();
      if (!entry) {
        this.reportDropped();
        return;
      }
      this.waitingBytes -= entry.json.byteLength;
      const run = this.notify(entry).finally(() => {
        this.running.delete(run);
        this.startNext();
      });
      this.running.add(run);
    }
  }

  private async notify({ id: entryId, json }: StoredEntry): Promise<void> {
    const { notifier } = this;
    const { name, plugin } = notifier;
    // The response to the author is sent first. Each notifier gets a copy of its own, which it may change.
    await nextRound();
    try {
      const call = (signal: AbortSignal) => callContained(notifier, () => plugin.notifier?.(decodeEntry(json), signal));
      await withTimeout(timeLimitMs, call, this.stop.signal);
    } catch (error) {
      this.log.warn({ err: describeThrown(error), plugin: name, entryId }, 'notifier failed');
    }
  }

  private reportDropped(): void {
    if (this.dropped === 0) return;
    this.log.warn({ plugin: this.notifier.name, entries: this.dropped }, 'notifier queue dropped entries');
    this.dropped = 0;
  }
}
