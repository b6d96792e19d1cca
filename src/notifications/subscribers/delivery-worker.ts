import { Fault } from '../../kernel/fault.js';
import type { NotificationTransaction } from '../notification-storage.js';
import { type AttemptDeps, attemptDelivery, internalErrorReason } from './attempt-delivery.js';
import { backOffMs } from './back-off.js';
import { composeDelivery, scanBatchSize } from './compose-delivery.js';
import { InterruptibleSleep } from './interruptible-sleep.js';
import { decideAfterAttempt } from './retry-or-dead-letter.js';
import type { Outcome, Sender } from './sender.port.js';
import { type ChangeReference, computeDeliveryId, type Subscriber } from './subscriber.js';
import type { PendingDelivery, StoredDeadLetter, SubscriberState } from './subscriber-store.port.js';

export type DeliveryWorkerDeps = AttemptDeps;

/** For failures that are not the target's fault, such as a search index that is being built. */
const internalRetry = { initialRetryDelayMs: 1_000, maxRetryDelayMs: 60_000 };

interface Pause {
  /** Undefined: until a change is committed. */
  readonly ms?: number;
}

/**
 * Delivers the change feed to one subscriber: composes a delivery, stores it, sends it until it arrives or fails
 * permanently, and goes on with the next. It holds nothing in memory but the current delivery.
 *
 * It is a loop and no `BackgroundJob`, because each pause has a length of its own (the batch window, the next attempt,
 * the back-off), and a commit must end some of them and not others.
 */
export class DeliveryWorker {
  /** `waiting`: for the next attempt. `idle`: for changes, or for the end of the batch window. */
  status: 'idle' | 'delivering' | 'waiting' = 'idle';
  private state: SubscriberState;
  private readonly storeId: string;
  /** Until the state is stored, a restart would not know the position at which the subscriber began. */
  private isStored: boolean;
  /** Changes up to here were scanned; those after the stored position do not match the subscriber. */
  private scannedPosition: number;
  private internalErrors = 0;
  private problem: { readonly atMs: number; readonly reason: string } | undefined;
  private hasPendingChanges = true;
  private hasRetryRequests = true;
  private readonly pause = new InterruptibleSleep();
  private isStopping = false;
  private attempt = new AbortController();
  private readonly running: Promise<void>;

  private constructor(
    private readonly deps: DeliveryWorkerDeps,
    readonly subscriber: Subscriber,
    private readonly sender: Sender,
    initial: { readonly state: SubscriberState; readonly storeId: string; readonly isStored: boolean },
  ) {
    this.state = initial.state;
    this.storeId = initial.storeId;
    this.isStored = initial.isStored;
    this.scannedPosition = initial.state.sequence;
    this.running = this.run();
  }

  /** Starts deliveries. A new subscriber begins after the newest change, even if that cannot be stored yet. */
  static async start(deps: DeliveryWorkerDeps, subscriber: Subscriber, sender: Sender): Promise<DeliveryWorker> {
    const { storeId } = await deps.storage.status();
    const { name } = subscriber;
    const stored = await deps.storage.committed.subscribers.find(name);
    const state = stored ?? {
      name,
      sequence: await deps.storage.committed.feed.newest(),
      sinceMs: deps.clock.nowMs(),
      lastSuccessMs: null,
      lastErrorMs: null,
      lastError: '',
      pending: null,
    };
    return new DeliveryWorker(deps, subscriber, sender, { state, storeId, isStored: stored !== undefined });
  }

  /** The state of the subscriber, including what is not stored yet. */
  get progress(): SubscriberState {
    const sequence = Math.max(this.state.sequence, this.scannedPosition);
    const { problem } = this;
    return { ...this.state, sequence, ...(problem && { lastErrorMs: problem.atMs, lastError: problem.reason }) };
  }

  /** To be called when the change feed has grown. */
  onCommit(): void {
    this.hasPendingChanges = true;
    this.pause.wake();
  }

  /** To be called when an administrator has requested the retry of a dead letter. */
  onDeadLetterRetry(): void {
    this.hasRetryRequests = true;
    this.pause.interrupt();
  }

  /** Aborts the attempt under way; its delivery is sent again after the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.attempt.abort();
    this.pause.interrupt();
    await this.running;
    if ((this.isStored && this.scannedPosition === this.state.sequence) || this.state.pending) return;
    await this.store({ ...this.state, sequence: this.scannedPosition }).catch(() => undefined);
  }

  /** Returns the signal that `stop` aborts. A new one for each attempt, so that its listeners are freed with it. */
  private startAttempt(): AbortSignal {
    this.attempt = new AbortController();
    if (this.isStopping) this.attempt.abort();
    return this.attempt.signal;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      try {
        const pause = await this.step();
        this.internalErrors = 0;
        this.problem = undefined;
        if (pause && !this.hasRetryRequests) await this.rest(pause);
      } catch (error) {
        if (this.isStopping) return;
        await this.restAfter(error);
        this.hasRetryRequests = true;
      }
    }
  }

  /** Does the next piece of work. Undefined: there is more to do. */
  private async step(): Promise<Pause | undefined> {
    // Before anything else is stored, so that the initial position is never lost.
    if (!this.isStored) await this.store(this.state);
    if (this.hasRetryRequests) {
      this.hasRetryRequests = false;
      const deadLetter = await this.deps.storage.committed.subscribers.findDeadLetterToRetry(this.subscriber.name);
      if (deadLetter) {
        await this.retryDeadLetter(deadLetter);
        this.hasRetryRequests = true;
        return undefined;
      }
    }
    if (!this.state.pending) {
      const pause = await this.composeNext();
      if (pause || !this.state.pending) return pause;
    }
    const waitMs = this.state.pending.nextAttemptMs - this.deps.clock.nowMs();
    // A longer wait means that the clock was set back.
    if (waitMs > 0 && waitMs <= this.subscriber.maxRetryDelayMs) {
      this.status = 'waiting';
      return { ms: waitMs };
    }
    await this.attemptPending(this.state.pending);
    return undefined;
  }

  private async composeNext(): Promise<Pause | undefined> {
    const { subscriber, deps } = this;
    this.status = 'idle';
    this.hasPendingChanges = false;
    const nowMs = deps.clock.nowMs();
    const signal = this.startAttempt();
    const composed = await composeDelivery({ ...deps, nowMs, signal }, subscriber, this.scannedPosition);
    if (composed.kind === 'early') return { ms: composed.waitMs };
    if (composed.kind === 'nothing') {
      this.scannedPosition = composed.upTo;
      const isFar = this.scannedPosition - this.state.sequence >= scanBatchSize;
      if (isFar) await this.store({ ...this.state, sequence: this.scannedPosition });
      return composed.more ? undefined : {};
    }
    await this.store({
      ...this.state,
      sequence: this.scannedPosition,
      pending: {
        id: computeDeliveryId(this.storeId, subscriber.name, composed.changes),
        changes: composed.changes.map(({ sequence, kind, entryId }) => ({ sequence, kind, entryId })),
        upTo: composed.upTo,
        attempts: 0,
        failingSinceMs: null,
        nextAttemptMs: nowMs,
      },
    });
    return undefined;
  }

  private async attemptPending(pending: PendingDelivery): Promise<void> {
    const outcome = await this.send(pending);
    if (this.isStopping && outcome.kind !== 'delivered') return;
    const nowMs = this.deps.clock.nowMs();
    const { state, deadLetter } = decideAfterAttempt({ state: this.state, pending, outcome, nowMs }, this.subscriber);
    await this.storeOutcome(state, async (tx) => {
      if (deadLetter) await tx.subscribers.addDeadLetter(this.subscriber.name, deadLetter);
    });
    this.scannedPosition = Math.max(this.scannedPosition, this.state.sequence);
    if (outcome.kind === 'delivered') return;
    const details = { deliveryId: pending.id, reason: outcome.reason };
    if (deadLetter) this.warn(details, 'delivery failed permanently; moved to dead letters');
    else if (pending.attempts === 0) this.warn(details, 'delivery attempt failed; will retry');
  }

  private async retryDeadLetter(deadLetter: StoredDeadLetter): Promise<void> {
    const outcome = await this.send({ id: deadLetter.deliveryId, changes: deadLetter.changes });
    if (this.isStopping && outcome.kind !== 'delivered') return;
    const { name } = this.subscriber;
    const nowMs = this.deps.clock.nowMs();
    if (outcome.kind === 'delivered') {
      await this.storeOutcome({ ...this.state, lastSuccessMs: nowMs }, (tx) =>
        tx.subscribers.removeDeadLetter(name, deadLetter.id),
      );
      return;
    }
    const { reason } = outcome;
    const retried = { ...deadLetter, attempts: deadLetter.attempts + 1, reason, atMs: nowMs, retryRequested: false };
    await this.storeOutcome({ ...this.state, lastErrorMs: nowMs, lastError: reason }, (tx) =>
      tx.subscribers.changeDeadLetter(name, retried),
    );
  }

  private send(delivery: { readonly id: string; readonly changes: readonly ChangeReference[] }): Promise<Outcome> {
    const { deps, subscriber, sender } = this;
    this.status = 'delivering';
    return attemptDelivery(deps, { subscriber, sender }, delivery, this.startAttempt());
  }

  /** Stores the outcome of an attempt. While that fails, only it is retried: nothing is sent twice for a full disk. */
  private async storeOutcome(
    state: SubscriberState,
    also: (tx: NotificationTransaction) => Promise<unknown>,
  ): Promise<void> {
    for (;;) {
      try {
        await this.store(state, also);
        this.internalErrors = 0;
        return;
      } catch (error) {
        if (this.isStopping) return;
        await this.restAfter(error);
      }
    }
  }

  private async store(state: SubscriberState, also?: (tx: NotificationTransaction) => Promise<unknown>): Promise<void> {
    await this.deps.storage.write(async (tx) => {
      await tx.subscribers.put(state);
      await also?.(tx);
    });
    this.state = state;
    this.isStored = true;
  }

  private async restAfter(error: unknown): Promise<void> {
    this.reportError(error);
    await this.rest({ ms: backOffMs(this.internalErrors, internalRetry) });
  }

  private reportError(error: unknown): void {
    this.internalErrors++;
    const reason = error instanceof Fault ? error.message : internalErrorReason;
    if (reason !== this.problem?.reason) this.warn({ err: error }, 'subscriber paused: internal error; will retry');
    this.problem = { atMs: this.deps.clock.nowMs(), reason };
  }

  private warn(details: object, message: string): void {
    this.deps.log.warn({ subscriber: this.subscriber.name, ...details }, message);
  }

  private async rest({ ms }: Pause): Promise<void> {
    const waitsForChanges = ms === undefined;
    if (this.isStopping || (waitsForChanges && this.hasPendingChanges)) return;
    // While the disk is full, a commit shows that there is space again for the initial position.
    await this.pause.sleep(ms, waitsForChanges || !this.isStored);
  }
}
