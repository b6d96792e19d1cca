import type { ToldChange } from './subscriber.js';

/** How far a follower has come. */
export interface FollowerState {
  readonly name: string;
  /** Everything in the feed up to this position is delivered, given up, or nothing that the follower asks for. */
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
  readonly changes: readonly ToldChange[];
  /** Position of the follower once it is over. */
  readonly upTo: number;
  readonly attempts: number;
  /** When the first attempt failed; null while none has. */
  readonly failingSinceMs: number | null;
  readonly nextAttemptMs: number;
}

/** A delivery that was given up. */
export interface DeadLetter {
  readonly deliveryId: string;
  readonly changes: readonly ToldChange[];
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

/** Of each follower. */
export const maxLetters = 10_000;

export interface FollowerReader {
  /** Undefined when it never followed, or was removed. */
  find(name: string): Promise<FollowerState | undefined>;
  /** All of them by name, configured or not. */
  list(): Promise<FollowerState[]>;
  findLetter(name: string, id: number): Promise<StoredDeadLetter | undefined>;
  /** The dead letters of a follower, newest first, at most `limit`; only those before `beforeId` if it is given. */
  listLetters(name: string, limit: number, beforeId?: number): Promise<StoredDeadLetter[]>;
  countLetters(name: string): Promise<number>;
  /** How many dead letters were dropped because there were newer ones, since the follower began. */
  countDropped(name: string): Promise<number>;
  /** The oldest one that is to be tried again; undefined when there is none. */
  findLetterToTry(name: string): Promise<StoredDeadLetter | undefined>;
}

export interface FollowerStore extends FollowerReader {
  /** In place of the state of that name, if there is one. */
  put(state: FollowerState): Promise<void>;
  /** With its dead letters. True when there was one. */
  remove(name: string): Promise<boolean>;
  /** Of each follower the newest `maxLetters` are kept; older ones are dropped, and counted. */
  addLetter(name: string, letter: DeadLetter): Promise<void>;
  /** In place of the letter of that id; false, and no effect, when there is none. */
  changeLetter(name: string, letter: StoredDeadLetter): Promise<boolean>;
  /** True when there was one. */
  removeLetter(name: string, id: number): Promise<boolean>;
}
