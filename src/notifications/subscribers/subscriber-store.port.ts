import type { ChangeReference } from './subscriber.js';

/** How far a subscriber has come. */
export interface SubscriberState {
  readonly name: string;
  /** Everything in the feed up to this position is delivered, given up, or nothing that the subscriber asks for. */
  readonly sequence: number;
  /** Milliseconds since the epoch, as all times here. */
  readonly sinceMs: number;
  readonly lastSuccessMs: number | null;
  readonly lastErrorMs: number | null;
  /** Why the last attempt that failed did; empty when none has. */
  readonly lastError: string;
  /** On record before its first attempt, so that it is the same one after any end of the process. */
  readonly pending: PendingDelivery | null;
}

export interface PendingDelivery {
  readonly id: string;
  readonly changes: readonly ChangeReference[];
  /** Position of the subscriber once it is over. */
  readonly upTo: number;
  readonly attempts: number;
  /** When the first attempt failed; null while none has. */
  readonly failingSinceMs: number | null;
  readonly nextAttemptMs: number;
}

/** A delivery that was given up. */
export interface DeadLetter {
  readonly deliveryId: string;
  readonly changes: readonly ChangeReference[];
  readonly attempts: number;
  readonly reason: string;
  /** When it was tried last. */
  readonly atMs: number;
  /** An administrator asked for one more attempt. */
  readonly again: boolean;
}

export interface StoredDeadLetter extends DeadLetter {
  /** Grows with each one, never reused. */
  readonly id: number;
}

/** Of each subscriber. */
export const maxDeadLetters = 10_000;

export interface SubscriberReader {
  /** Undefined when it never followed, or was removed. */
  find(name: string): Promise<SubscriberState | undefined>;
  /** All of them by name, configured or not. */
  list(): Promise<SubscriberState[]>;
  findDeadLetter(name: string, id: number): Promise<StoredDeadLetter | undefined>;
  /** The dead letters of a subscriber, newest first, at most `limit`; only those before `beforeId` if it is given. */
  listDeadLetters(name: string, limit: number, beforeId?: number): Promise<StoredDeadLetter[]>;
  countDeadLetters(name: string): Promise<number>;
  /** How many dead letters were dropped because there were newer ones, since the subscriber began. */
  countDroppedDeadLetters(name: string): Promise<number>;
  /** The oldest one that is to be tried again; undefined when there is none. */
  findDeadLetterToRetry(name: string): Promise<StoredDeadLetter | undefined>;
}

export interface SubscriberStore extends SubscriberReader {
  /** In place of the state of that name, if there is one. */
  put(state: SubscriberState): Promise<void>;
  /** With its dead letters. True when there was one. */
  remove(name: string): Promise<boolean>;
  /** Of each subscriber the newest `maxDeadLetters` are kept; older ones are dropped, and counted. */
  addDeadLetter(name: string, letter: DeadLetter): Promise<void>;
  /** In place of the letter of that id; false, and no effect, when there is none. */
  changeDeadLetter(name: string, letter: StoredDeadLetter): Promise<boolean>;
  /** True when there was one. */
  removeDeadLetter(name: string, id: number): Promise<boolean>;
}
