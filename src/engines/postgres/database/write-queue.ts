import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { storageUnavailable } from '../../../kernel/storage-faults.js';
import type { Commit } from '../../../kernel/unit-of-work.js';
import type { DocumentDamageReports } from '../../stored-document.js';
import { joinChanges, type QueuedWrite, settle, type WriteOutcome, WriteQueue } from '../../write-queue.js';
import { PostgresTransaction } from '../postgres-transaction.js';
import { insertChanges } from '../tables/change-inserts.js';
import { findOpenXid } from './commit-announcer.js';
import { isConflict, isConnectionLost, isUniqueViolation, outcomeUnknown, toFault } from './postgres-errors.js';
import { statementsOn } from './statements.js';
import { WriteBatch } from './write-batch.js';
import type { WriteConnection } from './write-connection.js';
import { WriteScope } from './write-scope.js';

/**
 * Maximum number of writes in one shared transaction. A transaction sees only data committed before it began, so later
 * writes wait for the next one.
 */
const maxWrites = 64;
/** Number of conflicts after which writes are stored one by one; after twice as many, they fail. */
const maxConflicts = 8;
const retryMs = 100;

type Write = QueuedWrite<PostgresTransaction>;
type ScopedOutcome = WriteOutcome<{ readonly scope: Pick<WriteScope, 'changes' | 'records'> }>;

type BatchOutcome =
  | { readonly kind: 'committed'; readonly outcomes: readonly ScopedOutcome[] }
  /** `needs-savepoints`: one of several writes without savepoints of their own failed. */
  | { readonly kind: 'conflict' | 'lost' | 'failed' | 'unknown' | 'needs-savepoints'; readonly error: unknown };

interface AttemptState {
  /** Number of conflicts with writes of other nodes so far. */
  readonly conflicts: number;
  readonly hasOwnSavepoint: boolean;
}

/** A transaction whose commit was sent. */
interface SentBatch {
  readonly batch: number;
  readonly xid: number;
  readonly outcomes: readonly ScopedOutcome[];
  readonly changed: Commit;
}

/**
 * Called after a commit, before its writes are acknowledged; must not throw.
 * @param openXid see `findOpenXid`
 */
export type AfterCommit = (changed: Commit, xid: number, openXid: number) => void;

interface Deps {
  readonly connection: WriteConnection;
  readonly reports: DocumentDamageReports;
  readonly channel: string;
  readonly failoverTimeoutMs: number;
  readonly afterCommit: AfterCommit;
}

/** Error that makes the queue repeat the transaction with a savepoint for each write. */
class NeedsSavepoints extends Error {}

/**
 * Uses one transaction for writes that arrive together. If one of them fails, all are repeated, each in its own
 * savepoint. A transaction sees a single state of the database; if another node has changed the same rows since, the
 * transaction is repeated from the beginning.
 */
export class PostgresWriteQueue extends WriteQueue<PostgresTransaction> {
  constructor(private readonly deps: Deps) {
    super();
  }

  protected storeNext(): Promise<void> {
    return this.store(this.waiting.splice(0, maxWrites));
  }

  /** Stores writes together, and retries while that is safe and may help. */
  private async store(writes: readonly Write[]): Promise<void> {
    const endMs = performance.now() + this.deps.failoverTimeoutMs;
    let hasOwnSavepoint = false;
    for (let conflicts = 0; ; ) {
      const outcome = await this.attempt(writes, { conflicts, hasOwnSavepoint });
      if (outcome.kind === 'committed') {
        settle(writes, outcome.outcomes);
        return;
      }
      const { kind, error } = outcome;
      if (kind === 'needs-savepoints') {
        hasOwnSavepoint = true;
        continue;
      }
      if (kind === 'conflict') conflicts += 1;
      const mayHelp =
        kind === 'conflict' ? conflicts <= 2 * maxConflicts : kind === 'lost' && performance.now() < endMs;
      if (kind === 'unknown' || (!mayHelp && writes.length === 1)) {
        for (const write of writes) write.fail(kind === 'unknown' ? outcomeUnknown(error) : finalFault(kind, error));
        return;
      }
      if (kind === 'lost' && !mayHelp) {
        for (const write of writes) write.fail(storageUnavailable(error));
        return;
      }
      if (writes.length > 1 && (kind === 'failed' || conflicts > maxConflicts)) {
        for (const write of writes) await this.store([write]);
        return;
      }
      await sleep(kind === 'lost' ? retryMs : Math.random() * 2 ** Math.min(conflicts, 6));
    }
  }

  /** Runs the writes in one transaction without settling them. */
  private async attempt(writes: readonly Write[], state: AttemptState): Promise<BatchOutcome> {
    const { connection, afterCommit } = this.deps;
    let sent: SentBatch | undefined;
    let batch: WriteBatch | undefined;
    try {
      const client = await connection.get();
      batch = new WriteBatch(client, connection.incarnation.offset, connection.catalogCache);
      const outcomes = await this.runAll(batch, writes, state);
      const changed = joinChanges(outcomes);
      if (!changed) {
        batch.end();
        await client.query('ROLLBACK');
        return { kind: 'committed', outcomes };
      }
      const shouldNotify = Object.values(changed).some(Boolean);
      const notice = shouldNotify ? { channel: this.deps.channel, changed } : undefined;
      const open = batch;
      const last = () => Promise.all([connection.recordBatch(client, notice), this.storeChanges(open, outcomes)]);
      const [recorded] = await batch.settle(last);
      sent = { ...recorded, outcomes, changed };
      const [, openXid] = await Promise.all([commit(client), findOpenXid(changed, client)]);
      afterCommit(changed, recorded.xid, openXid);
      return { kind: 'committed', outcomes };
    } catch (error) {
      batch?.end();
      return this.afterFailure(error, sent);
    }
  }

  private async runAll(batch: WriteBatch, writes: readonly Write[], state: AttemptState): Promise<ScopedOutcome[]> {
    const { connection, reports } = this.deps;
    const outcomes: ScopedOutcome[] = [];
    for (const write of writes) {
      if (state.hasOwnSavepoint) await batch.setSavepoint();
      const ownIds = {
        next: () => batch.ids.next(writes.length - outcomes.length),
        pass: (id: number) => batch.ids.pass(id),
      };
      const scope = new WriteScope(batch, reports, connection.incarnation, ownIds);
      const outcome = await runWrite(batch, scope, write, state);
      outcomes.push(outcome);
      if (outcome.kind === 'failed' && state.hasOwnSavepoint) await batch.rollBackToSavepoint();
      else if (outcome.kind === 'failed' && writes.length > 1) throw new NeedsSavepoints();
    }
    return outcomes;
  }

  private async storeChanges(batch: WriteBatch, outcomes: readonly ScopedOutcome[]): Promise<void> {
    const { connection, reports } = this.deps;
    const scopes = outcomes.flatMap((outcome) => (outcome.kind === 'done' ? outcome.scope : []));
    const changes = scopes.flatMap((scope) => scope.changes);
    const records = scopes.flatMap((scope) => scope.records);
    if (changes.length === 0 && records.length === 0) return;
    const statements = statementsOn((sql, values) => batch.run(sql, values), reports);
    await insertChanges(statements, connection.incarnation, { changes, records });
  }

  /** @param sent the transaction, if its commit was sent */
  private async afterFailure(error: unknown, sent: SentBatch | undefined): Promise<BatchOutcome> {
    const { connection } = this.deps;
    if (!isConnectionLost(error)) {
      await connection.rollBack();
      if (error instanceof NeedsSavepoints) return { kind: 'needs-savepoints', error };
      return { kind: isConflict(error) || isUniqueViolation(error) ? 'conflict' : 'failed', error };
    }
    connection.discard();
    return sent ? this.lookUp(sent, error) : { kind: 'lost', error };
  }

  /** Finds out whether a transaction was committed although its connection was lost during the commit. */
  private async lookUp({ batch, xid, outcomes, changed }: SentBatch, error: unknown): Promise<BatchOutcome> {
    const { connection, afterCommit, failoverTimeoutMs } = this.deps;
    const endMs = performance.now() + failoverTimeoutMs;
    for (;;) {
      try {
        if (!(await connection.wasCommitted(batch))) return { kind: 'lost', error };
        afterCommit(changed, xid, await findOpenXid(changed, await connection.get()));
        return { kind: 'committed', outcomes };
      } catch (cause) {
        connection.discard();
        if (performance.now() >= endMs) return { kind: 'unknown', error: cause };
        await sleep(retryMs);
      }
    }
  }
}

/** @throws the error that ends the whole transaction; a failure of the write alone is returned */
async function runWrite(
  batch: WriteBatch,
  scope: WriteScope,
  write: Write,
  { conflicts, hasOwnSavepoint }: AttemptState,
): Promise<ScopedOutcome> {
  const tx = new PostgresTransaction(scope.statements, scope);
  try {
    const value = await write.run(tx).finally(() => scope.end());
    if (scope.error) throw scope.error;
    if (hasOwnSavepoint) await batch.settle(async () => undefined);
    return { kind: 'done', value, changed: tx.changed, scope };
  } catch (error) {
    const cause = batch.error ?? scope.error ?? error;
    // A repetition sees what another node has stored since this transaction began.
    const mayBeConflict = isConflict(cause) || (isUniqueViolation(cause) && conflicts < 2);
    if (mayBeConflict || isConnectionLost(cause)) throw cause;
    return { kind: 'failed', error: toFault(batch.error ?? error) };
  }
}

async function commit(client: pg.Client): Promise<void> {
  const { command } = await client.query('COMMIT');
  // The server rolls back instead if an error in the transaction went unnoticed.
  if (command !== 'COMMIT') throw new Error(`the server answered a commit with ${command}`);
}

function finalFault(kind: 'conflict' | 'lost' | 'failed', error: unknown): unknown {
  return kind === 'failed' ? toFault(error) : storageUnavailable(error);
}
