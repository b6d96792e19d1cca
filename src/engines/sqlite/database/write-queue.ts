import { Fault } from '../../../kernel/fault.js';
import type { LeaseCheck } from '../../../kernel/lease.port.js';
import type { Commit } from '../../../kernel/unit-of-work.js';
import { joinChanges, type QueuedWrite, settle, type WriteOutcome, WriteQueue } from '../../write-queue.js';
import type { EntryIds } from '../entry-ids.js';
import { SqliteTransaction } from '../sqlite-transaction.js';
import type { Connection } from './connection.js';

/** Limits of one shared commit, so that it does not block the event loop. */
const maxWrites = 256;
const maxMs = 6;

type CommitResult =
  | { readonly kind: 'committed'; readonly outcomes: readonly WriteOutcome[] }
  | { readonly kind: 'failed'; readonly error: unknown };

type Write = QueuedWrite<SqliteTransaction>;

interface Deps {
  readonly connection: Connection;
  readonly ids: EntryIds;
  readonly leases: LeaseCheck;
  /**
   * Called at the start of each transaction. Returns the Fault with which writes that store data are refused; throws
   * the Fault that refuses all writes.
   */
  readonly findRefusal: () => Fault | undefined;
  readonly afterCommit: (changed: Commit) => void;
}

/** Uses one transaction, and thus one fsync, for writes that arrive together; each has its own savepoint. */
export class SqliteWriteQueue extends WriteQueue<SqliteTransaction> {
  constructor(private readonly deps: Deps) {
    super();
  }

  /** Commits queued writes together. If the commit fails, each is retried alone. */
  protected async storeNext(): Promise<void> {
    const startedMs = performance.now();
    const taken: Write[] = [];
    const together = await this.commit(() => {
      const enough = taken.length >= maxWrites || performance.now() - startedMs >= maxMs;
      const write = taken.length > 0 && enough ? undefined : this.waiting.shift();
      if (write) taken.push(write);
      return write;
    });
    if (together.kind === 'committed') {
      this.report(taken, together.outcomes);
      return;
    }
    // The transaction could not begin: the other queued writes would fail in the same way.
    if (taken.length === 0) taken.push(...this.waiting.splice(0));
    else if (taken.length > 1) {
      for (const write of taken.splice(0)) await this.commitAlone(write);
    }
    for (const write of taken) write.fail(together.error);
  }

  private async commitAlone(write: Write): Promise<void> {
    const once = [write];
    const alone = await this.commit(() => once.pop());
    if (alone.kind === 'committed') this.report([write], alone.outcomes);
    else write.fail(alone.error);
  }

  /** Runs the writes returned by `next` in one transaction, without settling them. */
  private async commit(next: () => Write | undefined): Promise<CommitResult> {
    const { connection, ids, findRefusal } = this.deps;
    const outcomes: WriteOutcome[] = [];
    try {
      connection.run('BEGIN IMMEDIATE');
      const refusal = findRefusal();
      for (let write = next(); write; write = next()) {
        const refused = refusal && !write.isRemoval;
        outcomes.push(refused ? { kind: 'failed', error: refusal } : await this.runInSavepoint(write));
      }
      ids.record();
      connection.run('COMMIT');
      return { kind: 'committed', outcomes };
    } catch (error) {
      this.rollBack();
      return { kind: 'failed', error };
    }
  }

  private report(writes: readonly Write[], outcomes: readonly WriteOutcome[]): void {
    settle(writes, outcomes);
    const changed = joinChanges(outcomes);
    if (changed) this.deps.afterCommit(changed);
  }

  /** @throws the error that ended the whole transaction; a failure of only this write is returned */
  private async runInSavepoint(write: Write): Promise<WriteOutcome> {
    const { connection, ids, leases } = this.deps;
    connection.run('SAVEPOINT one_write');
    const tx = SqliteTransaction.on(connection, ids, leases);
    try {
      const value = await write.run(tx).finally(() => tx.end());
      connection.run('RELEASE one_write');
      return { kind: 'done', value, changed: tx.changed };
    } catch (error) {
      // SQLite may have ended the whole transaction, for example because the disk is full.
      if (!connection.db.isTransaction) throw error;
      connection.run('ROLLBACK TO one_write');
      connection.run('RELEASE one_write');
      return { kind: 'failed', error };
    }
  }

  private rollBack(): void {
    const { connection, ids } = this.deps;
    ids.forget();
    try {
      if (connection.db.isTransaction) connection.run('ROLLBACK');
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
