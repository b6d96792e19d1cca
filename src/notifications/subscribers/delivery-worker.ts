import { Fault } from '../../kernel/fault.js';
import type { NotificationTransaction } from '../notification-storage.js';
import { type AttemptDeps, type DeliveryReference, internalErrorReason } from './attempt-delivery.js';
import { backOffMs, untilDueMs } from './back-off.js';
import { beginAt, toPending } from './begin-delivery.js';
import { scanBatchSize } from './compose-delivery.js';
import { decideAfterDamage } from './decide-after-damage.js';
import { DeliveryLog } from './delivery-log.js';
import type { DeliveryRoute } from './delivery-route.js';
import { InterruptibleSleep } from './interruptible-sleep.js';
import {
  decideAfterAttempt,
  decideAfterDeferred,
  decideAfterRetry,
  readTime,
  type Undelivered,
} from './retry-or-dead-letter.js';
import type { Outcome } from './sender.port.js';
import { replaceDeadLetter, replaceDeferred, storeUndelivered } from './store-undelivered.js';
import { computeDeliveryId, type Subscriber } from './subscriber.js';
import type { PendingDelivery, StoredDeadLetter, SubscriberState } from './subscriber-store.port.js';

export type DeliveryWorkerDeps = Pick<AttemptDeps, 'storage' | 'clock' | 'clockWatch' | 'log'>;

/** Delays after failures that are not the target's fault, such as a search index that is being built. */
const internalRetry = { initialRetryDelayMs: 1_000, maxRetryDelayMs: 60_000 };

interface Pause {
  /** Undefined: until a change is committed. */
  readonly ms?: number;
  /** A change at or after this position ends the pause. */
  readonly untilSequence?: number;
}

/**
 * Delivers the change feed to one subscriber: composes a delivery, stores it, sends it until it arrives or fails
 * permanently, and continues with the next. It holds only the current delivery in memory.
 *
 * It is a loop and not a `BackgroundJob`, because pauses differ in length (the batch window, the next attempt, the
 * back-off), and a commit must end only some of them.
 */
export class DeliveryWorker {
  /** `waiting`: for the next attempt or the end of quiet hours. `idle`: for changes or the end of the batch window. */
  status: 'idle' | 'delivering' | 'waiting' = 'idle';
  private state: SubscriberState;
  private readonly storeId: string;
  private readonly log: DeliveryLog;
  /** Whether the state is stored. Until then, a restart would not know the position at which the subscriber began. */
  private isStored: boolean;
  /** Position of the last scanned change. The scanned changes after the stored position do not match the subscriber. */
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
    private readonly route: DeliveryRoute,
    initial: { readonly state: SubscriberState; readonly storeId: string; readonly isStored: boolean },
  ) {
    this.state = initial.state;
    this.storeId = initial.storeId;
    this.isStored = initial.isStored;
    this.scannedPosition = initial.state.sequence;
    this.log = new DeliveryLog(deps.log, subscriber.name);
    this.running = this.run();
  }

  /** Starts deliveries. A new subscriber begins where its route says, even if the position cannot be stored yet. */
  static async start(deps: DeliveryWorkerDeps, subscriber: Subscriber, route: DeliveryRoute): Promise<DeliveryWorker> {
    const { storeId } = await deps.storage.status();
    const { name } = subscriber;
    const stored = await deps.storage.committed.subscribers.find(name);
    const state = stored ?? beginAt(name, await route.findStart(), deps.clock.nowMs());
    return new DeliveryWorker(deps, subscriber, route, { state, storeId, isStored: stored !== undefined });
  }

  /** The state of the subscriber, including changes that are not stored yet. */
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

  /** To be called when there is work that is not in the feed: a dead letter to retry, an item of an inbox. */
  lookAgain(): void {
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

  /** Returns a new signal that `stop` aborts. Each attempt has its own, so that its listeners are freed with it. */
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
    // The initial position must be stored before anything else, so that it is never lost.
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
    const deferredWaitMs = await this.attemptDeferred();
    const pause = await this.deliverNext();
    return pause && { ...pause, ms: Math.min(pause.ms ?? Number.POSITIVE_INFINITY, deferredWaitMs) };
  }

  /** Composes the next delivery, or makes the next attempt of the pending one. Undefined: there is more to do. */
  private async deliverNext(): Promise<Pause | undefined> {
    const holdMs = await this.route.findHoldMs(this.deps.clock.nowMs());
    if (holdMs === 0 && !this.state.pending) {
      const pause = await this.composeNext();
      if (pause) return pause;
    }
    const { pending } = this.state;
    const dueMs = pending ? untilDueMs(pending, this.deps.clock.nowMs(), this.subscriber) : 0;
    if (holdMs > 0 || dueMs > 0) {
      this.status = 'waiting';
      return { ms: Math.max(holdMs, dueMs) };
    }
    if (pending) await this.attemptPending(pending);
    return undefined;
  }

  private async composeNext(): Promise<Pause | undefined> {
    this.status = 'idle';
    this.hasPendingChanges = false;
    const nowMs = this.deps.clock.nowMs();
    const composed = await this.route.compose(this.scannedPosition, nowMs, this.startAttempt());
    if (composed.kind === 'early') return { ms: composed.waitMs, untilSequence: composed.fullFrom };
    if (composed.kind === 'nothing') {
      this.scannedPosition = composed.upTo;
      const isFar = this.scannedPosition - this.state.sequence >= scanBatchSize;
      if (isFar) await this.store({ ...this.state, sequence: this.scannedPosition });
      return composed.more ? undefined : { untilSequence: this.scannedPosition + 1 };
    }
    if (composed.kind === 'damaged') {
      const { state, storeId } = this;
      const { state: passed, ...undelivered } = decideAfterDamage({ state, storeId, ...composed, nowMs });
      await this.conclude(passed, undelivered);
      return undefined;
    }
    await this.store({
      ...this.state,
      sequence: this.scannedPosition,
      pending: toPending(composed, computeDeliveryId(this.storeId, this.subscriber.name, composed.changes), nowMs),
    });
    return undefined;
  }

  private async attemptPending(pending: PendingDelivery): Promise<void> {
    const outcome = await this.send(pending);
    if (this.isStopping && outcome.kind !== 'delivered') return;
    const attempted = { state: this.state, pending, outcome, now: readTime(this.deps) };
    const { state, ...undelivered } = decideAfterAttempt(attempted, this.subscriber);
    await this.conclude(state, undelivered);
    if (this.state.pending && pending.attempts === 0) this.log.willRetry(pending.id, this.state.lastError);
  }

  private async conclude(state: SubscriberState, undelivered: Undelivered): Promise<void> {
    await this.storeOutcome(state, (tx) => storeUndelivered(tx.subscribers, this.subscriber.name, undelivered));
    this.scannedPosition = Math.max(this.scannedPosition, this.state.sequence);
    this.log.undelivered(undelivered);
  }

  /** Makes the due attempt for one recipient. Returns the time until the next one, in milliseconds. */
  private async attemptDeferred(): Promise<number> {
    const { name, maxRetryDelayMs } = this.subscriber;
    const nowMs = this.deps.clock.nowMs();
    const deferred = await this.deps.storage.committed.subscribers.findNextDeferred(name, nowMs + maxRetryDelayMs);
    if (!deferred) return Number.POSITIVE_INFINITY;
    const waitMs = untilDueMs(deferred, nowMs, this.subscriber);
    if (waitMs > 0) return waitMs;
    const { deliveryId: id, recipient, changes } = deferred;
    const outcome = await this.send({ id, recipient, changes });
    if (this.isStopping && outcome.kind !== 'delivered') return 0;
    const decided = decideAfterDeferred(deferred, outcome, { now: readTime(this.deps), subscriber: this.subscriber });
    await this.storeOutcome({ ...this.state, ...decided.progress }, (tx) =>
      replaceDeferred(tx.subscribers, name, deferred, decided),
    );
    this.log.undelivered({ deferred: [], deadLetters: decided.deadLetters });
    return 0;
  }

  private async retryDeadLetter(deadLetter: StoredDeadLetter): Promise<void> {
    const { deliveryId: id, recipient, changes } = deadLetter;
    const outcome = await this.send({ id, recipient, changes });
    if (this.isStopping && outcome.kind !== 'delivered') return;
    const decided = decideAfterRetry(deadLetter, outcome, { now: readTime(this.deps), subscriber: this.subscriber });
    await this.storeOutcome({ ...this.state, ...decided.progress }, (tx) =>
      replaceDeadLetter(tx.subscribers, this.subscriber.name, deadLetter, decided),
    );
    this.log.undelivered(decided);
  }

  private send(delivery: DeliveryReference): Promise<Outcome> {
    this.status = 'delivering';
    return this.route.attempt(delivery, this.startAttempt());
  }

  /** Stores the outcome of an attempt. Retries only the storing, so that a full disk does not repeat deliveries. */
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
    if (reason !== this.problem?.reason) this.log.paused(error);
    this.problem = { atMs: this.deps.clock.nowMs(), reason };
  }

  private async rest({ ms = Number.POSITIVE_INFINITY, untilSequence }: Pause): Promise<void> {
    const endMs = performance.now() + ms;
    while (!this.isStopping) {
      if (this.hasPendingChanges && untilSequence !== undefined) {
        this.hasPendingChanges = false;
        if ((await this.deps.storage.committed.feed.newest()) >= untilSequence) return;
        continue;
      }
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return;
      // While the disk is full, a commit shows that there is space again for the initial position.
      await this.pause.sleep(leftMs, untilSequence !== undefined || !this.isStored);
      const isWokenByCommit = this.hasPendingChanges && untilSequence !== undefined;
      if (!isWokenByCommit) return;
    }
  }
}
