import type { ChangeReference } from './subscriber.js';

/** Progress of the deliveries to a subscriber. Stored as JSON under these field names. */
export interface SubscriberState {
  readonly name: string;
  /** Position up to which every change was delivered, became a dead letter, or does not match the subscriber. */
  readonly sequence: number;
  /** Time when the subscriber was created. All times here are milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly lastSuccessMs: number | null;
  readonly lastErrorMs: number | null;
  /** Reason of the last failed attempt; empty if none has failed. */
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
  /** Time of the first failed attempt; null while none has failed. */
  readonly failingSinceMs: number | null;
  readonly nextAttemptMs: number;
}

/** A failed delivery to a single recipient. It is retried automatically, separately from other recipients. */
export interface DeferredDelivery {
  readonly deliveryId: string;
  readonly recipient: string;
  readonly changes: readonly ChangeReference[];
  readonly attempts: number;
  /** Time of the first failed attempt. */
  readonly failingSinceMs: number;
  readonly nextAttemptMs: number;
  /** Reason of the last failed attempt. */
  readonly reason: string;
}

export interface StoredDeferredDelivery extends DeferredDelivery {
  /** Increases with each deferred delivery; never reused. */
  readonly id: number;
}

/** Maximum number per subscriber; further deliveries become dead letters. */
export const maxDeferredDeliveries = 1_000;

/** A delivery that failed permanently. */
export interface DeadLetter {
  readonly deliveryId: string;
  /** The recipient for which it failed; undefined: all recipients of the target. */
  readonly recipient?: string | undefined;
  readonly changes: readonly ChangeReference[];
  readonly attempts: number;
  readonly reason: string;
  /** Time of the last failed attempt. */
  readonly atMs: number;
  /** Whether an administrator requested one more attempt. */
  readonly retryRequested: boolean;
}

export interface StoredDeadLetter extends DeadLetter {
  /** Increases with each dead letter; never reused. */
  readonly id: number;
}

/** Maximum number per subscriber. */
export const maxDeadLetters = 10_000;

export interface SubscriberReader {
  /** Returns undefined when nothing is stored under that name. */
  find(name: string): Promise<SubscriberState | undefined>;
  /** Lists all subscribers by name, configured or not. */
  list(): Promise<SubscriberState[]>;
  findDeadLetter(name: string, id: number): Promise<StoredDeadLetter | undefined>;
  /**
   * Lists at most `limit` dead letters of a subscriber, newest first; with `beforeId`, only those with a smaller id.
   */
  listDeadLetters(name: string, limit: number, beforeId?: number): Promise<StoredDeadLetter[]>;
  countDeadLetters(name: string): Promise<number>;
  /** Counts the dead letters dropped in favour of newer ones since the subscriber was created. */
  countDroppedDeadLetters(name: string): Promise<number>;
  /** Returns the oldest dead letter with a requested retry; undefined when there is none. */
  findDeadLetterToRetry(name: string): Promise<StoredDeadLetter | undefined>;
  /**
   * Returns the deferred delivery with the earliest next attempt; undefined when there is none. A delivery whose next
   * attempt is after `latestMs` has priority, because it was planned by a clock that was ahead.
   */
  findNextDeferred(name: string, latestMs: number): Promise<StoredDeferredDelivery | undefined>;
  countDeferred(name: string): Promise<number>;
}

export interface SubscriberStore extends SubscriberReader {
  /** Inserts the state, or replaces the one of the same name. */
  put(state: SubscriberState): Promise<void>;
  /** Removes an item; returns whether it existed. */
  remove(name: string): Promise<boolean>;
  /** Adds a dead letter. Beyond the newest `maxDeadLetters` of a subscriber, older ones are dropped and counted. */
  addDeadLetter(name: string, deadLetter: DeadLetter): Promise<void>;
  /** Replaces the dead letter with the same id; returns false when there is none. */
  changeDeadLetter(name: string, deadLetter: StoredDeadLetter): Promise<boolean>;
  /** Removes an item; returns whether it existed. */
  removeDeadLetter(name: string, id: number): Promise<boolean>;
  addDeferred(name: string, deferred: DeferredDelivery): Promise<void>;
  /** Replaces the deferred delivery with the same id; returns false when there is none. */
  changeDeferred(name: string, deferred: StoredDeferredDelivery): Promise<boolean>;
  /** Removes an item; returns whether it existed. */
  removeDeferred(name: string, id: number): Promise<boolean>;
}
