import type { ChangeReference } from './subscriber.js';

/** How far deliveries to a subscriber have come. Stored as JSON under these field names. */
export interface SubscriberState {
  readonly name: string;
  /** Every change up to this position has been delivered, has become a dead letter, or does not match the subscriber. */
  readonly sequence: number;
  /** When the subscriber was created. In milliseconds since the epoch, as all times here. */
  readonly sinceMs: number;
  readonly lastSuccessMs: number | null;
  readonly lastErrorMs: number | null;
  /** Why the last failed attempt failed; empty when none has. */
  readonly lastError: string;
  /** Stored before the first attempt, so that a restart sends the same delivery again and not another one. */
  readonly pending: PendingDelivery | null;
}

export interface PendingDelivery {
  readonly id: string;
  readonly changes: readonly ChangeReference[];
  /** Position of the subscriber once this delivery has arrived or failed. */
  readonly upTo: number;
  readonly attempts: number;
  /** When the first attempt failed; null while none has. */
  readonly failingSinceMs: number | null;
  readonly nextAttemptMs: number;
}

/** A delivery that one recipient has not accepted yet, while the others have. It is retried automatically. */
export interface DeferredDelivery {
  readonly deliveryId: string;
  readonly recipient: string;
  readonly changes: readonly ChangeReference[];
  readonly attempts: number;
  /** When the first attempt failed. */
  readonly failingSinceMs: number;
  readonly nextAttemptMs: number;
  /** Why the last attempt failed. */
  readonly reason: string;
}

export interface StoredDeferredDelivery extends DeferredDelivery {
  /** Increases with each deferred delivery; never reused. */
  readonly id: number;
}

/** Limit per subscriber; further ones become dead letters. */
export const maxDeferredDeliveries = 1_000;

/** A delivery that failed permanently. */
export interface DeadLetter {
  readonly deliveryId: string;
  /** The recipient that it failed for; undefined: all of the target. */
  readonly recipient?: string | undefined;
  readonly changes: readonly ChangeReference[];
  readonly attempts: number;
  readonly reason: string;
  /** When the last attempt failed. */
  readonly atMs: number;
  /** Whether an administrator requested one more attempt. */
  readonly retryRequested: boolean;
}

export interface StoredDeadLetter extends DeadLetter {
  /** Increases with each dead letter; never reused. */
  readonly id: number;
}

/** Limit per subscriber. */
export const maxDeadLetters = 10_000;

export interface SubscriberReader {
  /** Undefined when nothing is stored under that name. */
  find(name: string): Promise<SubscriberState | undefined>;
  /** All subscribers by name, configured or not. */
  list(): Promise<SubscriberState[]>;
  findDeadLetter(name: string, id: number): Promise<StoredDeadLetter | undefined>;
  /** The dead letters of a subscriber, newest first, at most `limit`; with `beforeId`, only those with a smaller id. */
  listDeadLetters(name: string, limit: number, beforeId?: number): Promise<StoredDeadLetter[]>;
  countDeadLetters(name: string): Promise<number>;
  /** Number of dead letters dropped in favour of newer ones since the subscriber was created. */
  countDroppedDeadLetters(name: string): Promise<number>;
  /** The oldest dead letter with a requested retry; undefined when there is none. */
  findDeadLetterToRetry(name: string): Promise<StoredDeadLetter | undefined>;
  /**
   * The deferred delivery whose next attempt is the earliest; undefined when there is none. One whose attempt is after
   * `latestMs` has priority: it was planned by a clock that was ahead.
   */
  findNextDeferred(name: string, latestMs: number): Promise<StoredDeferredDelivery | undefined>;
  countDeferred(name: string): Promise<number>;
}

export interface SubscriberStore extends SubscriberReader {
  /** Inserts the state, or replaces the one of the same name. */
  put(state: SubscriberState): Promise<void>;
  /** Removes the subscriber with its dead letters and deferred deliveries. True when there was one. */
  remove(name: string): Promise<boolean>;
  /** Adds a dead letter. Beyond the newest `maxDeadLetters` of a subscriber, older ones are dropped and counted. */
  addDeadLetter(name: string, deadLetter: DeadLetter): Promise<void>;
  /** Replaces the dead letter of that id; false, and no effect, when there is none. */
  changeDeadLetter(name: string, deadLetter: StoredDeadLetter): Promise<boolean>;
  /** True when there was one. */
  removeDeadLetter(name: string, id: number): Promise<boolean>;
  addDeferred(name: string, deferred: DeferredDelivery): Promise<void>;
  /** Replaces the deferred delivery of that id; false, and no effect, when there is none. */
  changeDeferred(name: string, deferred: StoredDeferredDelivery): Promise<boolean>;
  /** True when there was one. */
  removeDeferred(name: string, id: number): Promise<boolean>;
}
