import type { Clock } from '../../kernel/clock.js';
import { Fault } from '../../kernel/fault.js';
import type { Log } from '../../kernel/log.js';
import { parseQuery } from '../../search/parse-query.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { NotificationStorage, NotificationTransaction } from '../notification-storage.js';
import { composeDelivery, scanBatchSize } from './compose-delivery.js';
import { InterruptibleSleep } from './interruptible-sleep.js';
import { recordAttempt } from './record-attempt.js';
import type { DeliveredChange, Outcome, Sender } from './sender.port.js';
import { backOffMs, type ChangeReference, deliveryIdOf, type Subscriber } from './subscriber.js';
import type { PendingDelivery, StoredDeadLetter, SubscriberState } from './subscriber-store.port.js';

export interface DeliveryWorkerDeps {
  readonly storage: NotificationStorage;
  readonly searchIndex: SearchIndex;
  readonly clock: Clock;
  /** IANA zone of times that a search does not give one for. */
  readonly zone: string;
  /** Where people find an entry; empty when that is not configured. */
  readonly linkOf: (entryId: number) => string;
  readonly log: Log;
}

/** What keeps a subscriber from going on that is not its target's doing, such as a search index that is being built. */
const ownTrouble = { retryMs: 1_000, maxRetryMs: 60_000 };

interface Pause {
  /** Undefined: until something is written. */
  readonly ms?: number;
}

/**
 * Goes along the change feed for one subscriber: composes a delivery, puts it on record, sends it until it arrives or is
 * given up, and moves on, all one after the other. It keeps nothing in memory but the delivery in hand.
 */
export class DeliveryWorker {
  /** What it is about to do when it rests, for people. */
  doing: 'following' | 'delivering' | 'waiting' = 'following';
  private state: SubscriberState;
  private readonly storeId: string;
  /** Until it is, a restart would not know where it began. */
  private isOnRecord: boolean;
  /** What was looked at beyond the recorded position, and is not for the subscriber. */
  private lookedAt: number;
  private internalErrors = 0;
  private problem: { readonly atMs: number; readonly reason: string } | undefined;
  private hasNews = true;
  private hasLetters = true;
  private readonly resting = new InterruptibleSleep();
  private isStopping = false;
  /** A new one each time, so that what listened to it goes with it. */
  private cutOff = new AbortController();
  private readonly running: Promise<void>;

  private constructor(
    private readonly deps: DeliveryWorkerDeps,
    readonly subscriber: Subscriber,
    private readonly sender: Sender,
    begun: { readonly state: SubscriberState; readonly storeId: string; readonly isOnRecord: boolean },
  ) {
    this.state = begun.state;
    this.storeId = begun.storeId;
    this.isOnRecord = begun.isOnRecord;
    this.lookedAt = begun.state.sequence;
    this.running = this.run();
  }

  /** One that is new begins after the newest change, also if that cannot be put on record yet. */
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
    return new DeliveryWorker(deps, subscriber, sender, { state, storeId, isOnRecord: stored !== undefined });
  }

  /** How far it is, with what is not on record yet. */
  get progress(): SubscriberState {
    const sequence = Math.max(this.state.sequence, this.lookedAt);
    const { problem } = this;
    return { ...this.state, sequence, ...(problem && { lastErrorMs: problem.atMs, lastError: problem.reason }) };
  }

  noteCommit(): void {
    this.hasNews = true;
    this.resting.news();
  }

  /** Dead letters are to be tried again. */
  noteLetters(): void {
    this.hasLetters = true;
    this.resting.end();
  }

  /** Cuts off what is under way; it is sent again after the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.cutOff.abort();
    this.resting.end();
    await this.running;
    if ((this.isOnRecord && this.lookedAt === this.state.sequence) || this.state.pending) return;
    await this.keep({ ...this.state, sequence: this.lookedAt }).catch(() => undefined);
  }

  private get signal(): AbortSignal {
    this.cutOff = new AbortController();
    if (this.isStopping) this.cutOff.abort();
    return this.cutOff.signal;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      try {
        const pause = await this.step();
        this.internalErrors = 0;
        this.problem = undefined;
        if (pause && !this.hasLetters) await this.rest(pause);
      } catch (error) {
        if (this.isStopping) return;
        this.noteTrouble(error);
        await this.rest({ ms: backOffMs(this.internalErrors, ownTrouble) });
        this.hasLetters = true;
      }
    }
  }

  /** Undefined: there is more to do. */
  private async step(): Promise<Pause | undefined> {
    // Before anything that comes after its start: what is to be written is written in order.
    if (!this.isOnRecord) await this.keep(this.state);
    if (this.hasLetters) {
      this.hasLetters = false;
      const letter = await this.deps.storage.committed.subscribers.findDeadLetterToRetry(this.subscriber.name);
      if (letter) {
        await this.tryLetter(letter);
        this.hasLetters = true;
        return undefined;
      }
    }
    if (!this.state.pending) {
      const pause = await this.findDelivery();
      if (pause || !this.state.pending) return pause;
    }
    const waitMs = this.state.pending.nextAttemptMs - this.deps.clock.nowMs();
    // Longer, when the clock was put back.
    if (waitMs > 0 && waitMs <= this.subscriber.maxRetryMs) {
      this.doing = 'waiting';
      return { ms: waitMs };
    }
    await this.attempt(this.state.pending);
    return undefined;
  }

  private async findDelivery(): Promise<Pause | undefined> {
    const { subscriber, deps } = this;
    this.doing = 'following';
    this.hasNews = false;
    const nowMs = deps.clock.nowMs();
    const composed = await composeDelivery({ ...deps, nowMs, signal: this.signal }, subscriber, this.lookedAt);
    if (composed.kind === 'early') return { ms: composed.waitMs };
    if (composed.kind === 'nothing') {
      this.lookedAt = composed.upTo;
      const isFar = this.lookedAt - this.state.sequence >= scanBatchSize;
      if (isFar) await this.keep({ ...this.state, sequence: this.lookedAt });
      return composed.more ? undefined : {};
    }
    await this.keep({
      ...this.state,
      sequence: this.lookedAt,
      pending: {
        id: deliveryIdOf(this.storeId, subscriber.name, composed.changes),
        changes: composed.changes.map(({ sequence, kind, entryId }) => ({ sequence, kind, entryId })),
        upTo: composed.upTo,
        attempts: 0,
        failingSinceMs: null,
        nextAttemptMs: nowMs,
      },
    });
    return undefined;
  }

  private async attempt(pending: PendingDelivery): Promise<void> {
    const outcome = await this.send(pending.id, pending.changes);
    if (this.isStopping && outcome.kind !== 'delivered') return;
    const nowMs = this.deps.clock.nowMs();
    const { state, letter } = recordAttempt({ state: this.state, pending, outcome, nowMs }, this.subscriber);
    await this.record(() =>
      this.keep(state, async (tx) => {
        if (letter) await tx.subscribers.addDeadLetter(this.subscriber.name, letter);
      }),
    );
    this.lookedAt = Math.max(this.lookedAt, this.state.sequence);
    if (outcome.kind === 'delivered') return;
    const details = { deliveryId: pending.id, reason: outcome.reason };
    if (letter) this.warn(details, 'delivery failed permanently; moved to dead letters');
    else if (pending.attempts === 0) this.warn(details, 'delivery attempt failed; will retry');
  }

  private async tryLetter(letter: StoredDeadLetter): Promise<void> {
    const outcome = await this.send(letter.deliveryId, letter.changes);
    if (this.isStopping && outcome.kind !== 'delivered') return;
    const { name } = this.subscriber;
    const nowMs = this.deps.clock.nowMs();
    if (outcome.kind === 'delivered') {
      await this.record(() =>
        this.keep({ ...this.state, lastSuccessMs: nowMs }, (tx) => tx.subscribers.removeDeadLetter(name, letter.id)),
      );
      return;
    }
    const { reason } = outcome;
    const tried = { ...letter, attempts: letter.attempts + 1, reason, atMs: nowMs, again: false };
    await this.record(() =>
      this.keep({ ...this.state, lastErrorMs: nowMs, lastError: reason }, (tx) =>
        tx.subscribers.changeDeadLetter(name, tried),
      ),
    );
  }

  private async send(id: string, told: readonly ChangeReference[]): Promise<Outcome> {
    this.doing = 'delivering';
    const changes: DeliveredChange[] = [];
    // An entry may have been edited since, out of what the subscriber is to see.
    const found = await this.stillFound(told);
    for (const { sequence, kind, entryId } of told) {
      if (!found.has(entryId)) continue;
      const stored = await this.deps.storage.committed.entries.find(entryId);
      if (stored) changes.push({ sequence, kind, stored, link: this.deps.linkOf(entryId) });
    }
    if (changes.length === 0)
      return { kind: 'delivered', remark: 'its entries are not what its search finds any more' };
    try {
      const outcome = await this.sender.send({ id, subscriber: this.subscriber.name, changes }, this.signal);
      if (outcome.kind === 'delivered' && outcome.remark !== undefined) {
        this.warn({ deliveryId: id, reason: outcome.remark }, 'delivery partially accepted');
      }
      return outcome;
    } catch (error) {
      this.warn({ err: error, deliveryId: id }, 'delivery failed: unexpected error');
      return { kind: 'failed', reason: 'The service failed; its log says how.' };
    }
  }

  /** @throws Fault `search.…` */
  private async stillFound(told: readonly ChangeReference[]): Promise<ReadonlySet<number>> {
    const { clock, zone, searchIndex } = this.deps;
    // An edit changes no date, and what was recent when it was found has not become less of a match by waiting.
    const { window: _whenever, ...query } = parseQuery(this.subscriber.search, { nowMs: clock.nowMs(), zone });
    const ids = [...new Set(told.map(({ entryId }) => entryId))];
    return new Set(await searchIndex.matching(query, ids, { signal: this.signal }));
  }

  /** What was sent is not sent again because the disk is full: only its record is tried again. */
  private async record(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await write();
        this.internalErrors = 0;
        return;
      } catch (error) {
        if (this.isStopping) return;
        this.noteTrouble(error);
        await this.rest({ ms: backOffMs(this.internalErrors, ownTrouble) });
      }
    }
  }

  private async keep(state: SubscriberState, also?: (tx: NotificationTransaction) => Promise<unknown>): Promise<void> {
    await this.deps.storage.write(async (tx) => {
      await tx.subscribers.put(state);
      await also?.(tx);
    });
    this.state = state;
    this.isOnRecord = true;
  }

  private noteTrouble(error: unknown): void {
    this.internalErrors++;
    const reason = error instanceof Fault ? error.message : 'The service failed; its log says how.';
    if (reason !== this.problem?.reason) this.warn({ err: error }, 'subscriber paused: internal error; will retry');
    this.problem = { atMs: this.deps.clock.nowMs(), reason };
  }

  private warn(details: object, message: string): void {
    this.deps.log.warn({ subscriber: this.subscriber.name, ...details }, message);
  }

  private async rest({ ms }: Pause): Promise<void> {
    const forNews = ms === undefined;
    if (this.isStopping || (forNews && this.hasNews)) return;
    // With room for an entry there is room for its place.
    await this.resting.take(ms, forNews || !this.isOnRecord);
  }
}
