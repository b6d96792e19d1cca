import { Fault } from '../../../kernel/fault.js';
import type { LeaseCheck } from '../../../kernel/lease.port.js';
import type { Commit } from '../../../kernel/unit-of-work.js';
import type { EntryIds } from '../entry-ids.js';
import { SqliteTransaction } from '../sqlite-transaction.js';
import type { Connection } from './connection.js';

interface QueuedWrite {
  /** True when it only removes data; it then runs on a full disk too. */
  readonly isRemoval: boolean;
  /** Does the work within a savepoint. Its value is reported only after the commit. */
  run(tx: SqliteTransaction): Promise<unknown>;
  succeed(value: unknown): void;
  fail(error: unknown): void;
}

/** Bounds of one shared commit, so that it does not block the event loop. */
const maxWrites = 256;
const maxMs = 6;

type Outcome =
  | { readonly kind: 'done'; readonly value: unknown; readonly changed: Commit }
  | { readonly kind: 'failed'; readonly error: unknown };

type CommitResult =
  | { readonly kind: 'committed'; readonly outcomes: readonly (readonly [QueuedWrite, Outcome])[] }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Group commit: writes that arrive together share one transaction and one fsync. Each runs in its own savepoint, so
 * that a failing write leaves nothing behind and does not affect the others.
 */
export class WriteQueue {
  private waiting: QueuedWrite[] = [];
  private draining: Promise<void> | undefined;
  /** Set once the queue no longer accepts writes. */
  private refusal: Fault | undefined;

  /**
   * @param findRefusal called at the start of each transaction; returns the Fault that refuses to store more, and throws the
   *   one that refuses every write
   */
  constructor(
    private readonly connection: Connection,
    private readonly ids: EntryIds,
    private readonly leases: LeaseCheck,
    private readonly findRefusal: () => Fault | undefined,
    private readonly afterCommit: (changed: Commit) => void,
  ) {}

  add<T>(work: (tx: SqliteTransaction) => Promise<T>, { isRemoval = false } = {}): Promise<T> {
    if (this.refusal) return Promise.reject(this.refusal);
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ isRemoval, run: work, succeed: (value) => resolve(value as T), fail: reject });
      this.draining ??= this.drain();
    });
  }

  /** Refuses new writes; resolves when the queued ones are stored. */
  async close(): Promise<void> {
    this.refusal ??= new Fault(
      'unavailable',
      'storage.closed',
      'The service is stopping; nothing was stored. Try again in a moment.',
    );
    await this.draining;
  }

  private async drain(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        // Lets every write that the event loop has ready join the commit.
        await new Promise(setImmediate);
        await this.commitNext();
      }
    } finally {
      // Must happen in the same turn of the event loop as the check above. A write added in between would never be
      // stored.
      this.draining = undefined;
    }
  }

  /** Commits queued writes together. When the commit fails, each of them is tried again alone. */
  private async commitNext(): Promise<void> {
    const startedMs = performance.now();
    const taken: QueuedWrite[] = [];
    const together = await this.commit(() => {
      const enough = taken.length >= maxWrites || performance.now() - startedMs >= maxMs;
      const write = taken.length > 0 && enough ? undefined : this.waiting.shift();
      if (write) taken.push(write);
      return write;
    });
    if (together.kind === 'committed') {
      this.settle(together.outcomes);
      return;
    }
    // The transaction could not even begin: the other queued writes would fail in the same way.
    if (taken.length === 0) taken.push(...this.waiting.splice(0));
    else if (taken.length > 1) {
      for (const write of taken.splice(0)) await this.commitAlone(write);
    }
    for (const write of taken) write.fail(together.error);
  }

  private async commitAlone(write: QueuedWrite): Promise<void> {
    const once = [write];
    const alone = await this.commit(() => once.pop());
    if (alone.kind === 'committed') this.settle(alone.outcomes);
    else write.fail(alone.error);
  }

  /** Runs the writes that `next` returns in one transaction. Reports nothing to their callers. */
  private async commit(next: () => QueuedWrite | undefined): Promise<CommitResult> {
    const outcomes: [QueuedWrite, Outcome][] = [];
    try {
      this.connection.run('BEGIN IMMEDIATE');
      const refusal = this.findRefusal();
      for (let write = next(); write; write = next()) {
        const refused = refusal && !write.isRemoval;
        outcomes.push([write, refused ? { kind: 'failed', error: refusal } : await this.runInSavepoint(write)]);
      }
      this.ids.record();
      this.connection.run('COMMIT');
      return { kind: 'committed', outcomes };
    } catch (error) {
      this.rollBack();
      return { kind: 'failed', error };
    }
  }

  private settle(outcomes: readonly (readonly [QueuedWrite, Outcome])[]): void {
    for (const [write, outcome] of outcomes) {
      if (outcome.kind === 'done') write.succeed(outcome.value);
      else write.fail(outcome.error);
    }
    const changes = outcomes.flatMap(([, outcome]) => (outcome.kind === 'done' ? [outcome.changed] : []));
    if (changes.length === 0) return;
    this.afterCommit({
      entries: changes.some(({ entries }) => entries),
      feed: changes.some(({ feed }) => feed),
      files: changes.some(({ files }) => files),
      catalog: changes.some(({ catalog }) => catalog),
    });
  }

  /** @throws the error that ended the whole transaction; a failure of the write alone is returned */
  private async runInSavepoint(write: QueuedWrite): Promise<Outcome> {
    this.connection.run('SAVEPOINT one_write');
    const tx = SqliteTransaction.on(this.connection, this.ids, this.leases);
    try {
      const value = await write.run(tx).finally(() => tx.end());
      this.connection.run('RELEASE one_write');
      return { kind: 'done', value, changed: tx.changed };
    } catch (error) {
      // SQLite may have ended the whole transaction, for example on a full disk.
      if (!this.connection.db.isTransaction) throw error;
      this.connection.run('ROLLBACK TO one_write');
      this.connection.run('RELEASE one_write');
      return { kind: 'failed', error };
    }
  }

  private rollBack(): void {
    this.ids.forget();
    try {
      if (this.connection.db.isTransaction) this.connection.run('ROLLBACK');
    } catch (error) {
      // Further writes would join a transaction in an unknown state.
      this.refusal = new Fault(
        'unavailable',
        'storage.unavailable',
        'The storage failed and accepts no more writes; all acknowledged writes are stored. Restart the service.',
        { cause: error },
      );
    }
  }
}
