import { Fault } from '../../../kernel/fault.js';
import type { Commit } from '../../../kernel/unit-of-work.js';
import { SqliteTransaction } from '../sqlite-transaction.js';
import type { Connection } from './connection.js';

interface Waiting {
  /** It only takes away: it is run on a full disk too. */
  readonly removes: boolean;
  /** Runs the work in a transaction of its own; its value is reported only after the commit. */
  run(tx: SqliteTransaction): Promise<unknown>;
  succeed(value: unknown): void;
  fail(error: unknown): void;
}

/** Bounds of one shared commit, so that the event loop gets its turn. */
const maxWrites = 256;
const maxMs = 6;

type Outcome =
  | { readonly kind: 'done'; readonly value: unknown; readonly changed: Commit }
  | { readonly kind: 'failed'; readonly error: unknown };

type CommitResult =
  | { readonly kind: 'committed'; readonly outcomes: readonly (readonly [Waiting, Outcome])[] }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Group commit: writes that arrive together share one transaction and one fsync, each inside a savepoint of its own,
 * so that one that fails takes nothing with it and leaves its neighbours alone.
 */
export class WriteQueue {
  private waiting: Waiting[] = [];
  private draining: Promise<void> | undefined;
  /** Why no more writes are taken. */
  private refusal: Fault | undefined;

  /** @param checkSpace called at the start of each transaction: why nothing more may be stored now */
  constructor(
    private readonly connection: Connection,
    private readonly checkSpace: () => Fault | undefined,
    private readonly afterCommit: (changed: Commit) => void,
  ) {}

  add<T>(work: (tx: SqliteTransaction) => Promise<T>, { removes = false } = {}): Promise<T> {
    if (this.refusal) return Promise.reject(this.refusal);
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ removes, run: work, succeed: (value) => resolve(value as T), fail: reject });
      this.draining ??= this.drain();
    });
  }

  /** Refuses new writes; resolves when those that wait are stored. */
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
        // Everything that the event loop has ready by now joins the commit.
        await new Promise(setImmediate);
        await this.commitNext();
      }
    } finally {
      // In the same turn as the check above, so that no write can be left waiting.
      this.draining = undefined;
    }
  }

  /** Commits what waits, together; when that fails, each of those writes is tried again alone. */
  private async commitNext(): Promise<void> {
    const startedMs = performance.now();
    const taken: Waiting[] = [];
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
    // Not even begun: it would be the same for all that wait.
    if (taken.length === 0) taken.push(...this.waiting.splice(0));
    else if (taken.length > 1) {
      for (const write of taken.splice(0)) await this.commitAlone(write);
    }
    for (const write of taken) write.fail(together.error);
  }

  private async commitAlone(write: Waiting): Promise<void> {
    const once = [write];
    const alone = await this.commit(() => once.pop());
    if (alone.kind === 'committed') this.settle(alone.outcomes);
    else write.fail(alone.error);
  }

  /** Runs the writes that `next` gives in one transaction. Nothing of it is told to anybody yet. */
  private async commit(next: () => Waiting | undefined): Promise<CommitResult> {
    const outcomes: [Waiting, Outcome][] = [];
    try {
      this.connection.run('BEGIN IMMEDIATE');
      const full = this.checkSpace();
      for (let write = next(); write; write = next()) {
        const refused = full && !write.removes;
        outcomes.push([write, refused ? { kind: 'failed', error: full } : await this.runInSavepoint(write)]);
      }
      this.connection.run('COMMIT');
      return { kind: 'committed', outcomes };
    } catch (error) {
      this.rollBack();
      return { kind: 'failed', error };
    }
  }

  private settle(outcomes: readonly (readonly [Waiting, Outcome])[]): void {
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
    });
  }

  /** @throws what ended the whole transaction; a failure of the write alone is its outcome */
  private async runInSavepoint(write: Waiting): Promise<Outcome> {
    this.connection.run('SAVEPOINT one_write');
    const tx = new SqliteTransaction(this.connection);
    try {
      const value = await write.run(tx).finally(() => tx.end());
      this.connection.run('RELEASE one_write');
      return { kind: 'done', value, changed: tx.changed };
    } catch (error) {
      // A full disk may end the whole transaction.
      if (!this.connection.db.isTransaction) throw error;
      this.connection.run('ROLLBACK TO one_write');
      this.connection.run('RELEASE one_write');
      return { kind: 'failed', error };
    }
  }

  private rollBack(): void {
    try {
      if (this.connection.db.isTransaction) this.connection.run('ROLLBACK');
    } catch (error) {
      // Whatever is written now would join a transaction that nobody knows the state of.
      this.refusal = new Fault(
        'unavailable',
        'storage.unavailable',
        'The storage failed and takes no more writes; what was acknowledged is stored. Restart the service.',
        { cause: error },
      );
    }
  }
}
