import { Fault } from '../kernel/fault.js';
import { nextRound } from '../kernel/time-slice.js';
import type { Commit } from '../kernel/unit-of-work.js';
import type { WriteChanges } from './sql/write-scope.port.js';

/** Maximum number of entries named in a commit, because a notification to other nodes holds at most 8,000 bytes. */
const maxNamedEntries = 256;

export interface QueuedWrite<Transaction> {
  /** Whether the write only removes data; it is then allowed on a full disk. */
  readonly isRemoval: boolean;
  run(tx: Transaction): Promise<unknown>;
  succeed(value: unknown): void;
  fail(error: unknown): void;
}

export type WriteOutcome<Details = unknown> =
  | ({ readonly kind: 'done'; readonly value: unknown; readonly changed: WriteChanges } & Details)
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Group commit: writes that arrive together share one transaction. A write that fails leaves nothing behind and does
 * not affect the others.
 */
export abstract class WriteQueue<Transaction> {
  protected readonly waiting: QueuedWrite<Transaction>[] = [];
  /** Set once the queue no longer accepts writes. */
  protected refusal: Fault | undefined;
  private draining: Promise<void> | undefined;

  /** Resolves with the result of `work` once it is committed. */
  add<T>(work: (tx: Transaction) => Promise<T>, { isRemoval = false } = {}): Promise<T> {
    if (this.refusal) return Promise.reject(this.refusal);
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ isRemoval, run: work, succeed: (value) => resolve(value as T), fail: reject });
      this.draining ??= this.drain();
    });
  }

  /** Refuses new writes; resolves once the queued ones are stored. */
  async close(): Promise<void> {
    this.refusal ??= new Fault(
      'unavailable',
      'storage.closed',
      'The service is stopping; nothing was stored. Try again in a moment.',
    );
    await this.draining;
  }

  /** Takes writes from the front of the queue, which is not empty, and stores and settles them. Never rejects. */
  protected abstract storeNext(): Promise<void>;

  private async drain(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        // Lets all writes that are ready in the event loop join the commit.
        await nextRound();
        await this.storeNext();
      }
    } finally {
      // Must run in the same turn of the event loop as the check above; otherwise a write added in between is never
      // stored.
      this.draining = undefined;
    }
  }
}

/** Reports the outcomes of these writes to their callers. */
export function settle(writes: readonly QueuedWrite<never>[], outcomes: readonly WriteOutcome[]): void {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'done') writes[index]?.succeed(outcome.value);
    else writes[index]?.fail(outcome.error);
  }
}

/** Returns the combined changes of the successful writes; undefined if none succeeded. */
export function joinChanges(outcomes: readonly WriteOutcome[]): Commit | undefined {
  const changes = outcomes.flatMap((outcome) => (outcome.kind === 'done' ? [outcome.changed] : []));
  if (changes.length === 0) return undefined;
  const ids = new Set(changes.flatMap(({ entries }) => [...entries]));
  return {
    entries: ids.size > 0,
    entryIds: ids.size <= maxNamedEntries ? [...ids] : undefined,
    feed: changes.some(({ feed }) => feed),
    files: changes.some(({ files }) => files),
    catalog: changes.some(({ catalog }) => catalog),
  };
}
