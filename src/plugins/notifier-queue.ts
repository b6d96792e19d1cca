import { setMaxListeners } from 'node:events';
import { decodeEntry, type StoredEntry } from '../entries/entry-json.js';
import { callContained, describeThrown } from '../kernel/contained-calls.js';
import { FairQueue } from '../kernel/fair-queue.js';
import type { Log } from '../kernel/log.js';
import { nextRound } from '../kernel/time-slice.js';
import { withTimeout } from '../kernel/with-timeout.js';
import type { NamedPlugin } from './plugin.js';

const timeLimitMs = 10_000;
const limits = { slots: 4, slotsPerClient: 4, waitingPerClient: 1_000, waiting: 1_000 };
const maxWaitingBytes = 32_000_000;

/** Calls one notifier for new entries, at most once for each: in their order, a few at a time. */
export class NotifierQueue {
  private readonly queue = new FairQueue(limits);
  private waitingBytes = 0;
  private readonly calls = new Set<Promise<void>>();
  private dropped = 0;
  private readonly stop = new AbortController();

  constructor(
    private readonly notifier: NamedPlugin,
    private readonly log: Log,
  ) {
    setMaxListeners(0, this.stop.signal);
  }

  add(entry: StoredEntry): void {
    const { name: plugin } = this.notifier;
    const bytes = entry.json.byteLength;
    const isFull = !this.queue.hasRoom('') || (this.waitingBytes > 0 && this.waitingBytes + bytes > maxWaitingBytes);
    if (this.stop.signal.aborted || isFull) {
      if (this.dropped === 0) this.log.warn({ plugin }, 'notifier queue full; dropping entries');
      this.dropped += 1;
      return;
    }
    const call = this.call(entry).finally(() => this.calls.delete(call));
    this.calls.add(call);
  }

  /** Waits at most `waitMs` for running and queued calls. Then aborts the running ones and drops the queued ones. */
  async close(waitMs: number): Promise<void> {
    const timer = setTimeout(() => {
      this.stop.abort(new DOMException('the service is stopping', 'AbortError'));
    }, waitMs);
    while (this.calls.size > 0) await Promise.all(this.calls);
    clearTimeout(timer);
    this.stop.abort();
    this.reportDropped();
  }

  /** Calls the notifier in the turn of the entry. Never rejects. */
  private async call(entry: StoredEntry): Promise<void> {
    const ticket = this.queue.enter('');
    const waitingBytes = ticket.takeSlot() ? 0 : entry.json.byteLength;
    this.waitingBytes += waitingBytes;
    const turn = ticket.turn({ signal: this.stop.signal });
    const hasTurn = await turn.then(
      () => true,
      () => false,
    );
    this.waitingBytes -= waitingBytes;
    if (!hasTurn) {
      this.dropped += 1;
      return;
    }
    await this.notify(entry);
    ticket.leave();
    if (this.waitingBytes === 0) this.reportDropped();
  }

  private async notify({ id: entryId, json }: StoredEntry): Promise<void> {
    const { notifier } = this;
    const { name, plugin } = notifier;
    // The response to the author is sent first. Each notifier receives its own copy, which it may change.
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
