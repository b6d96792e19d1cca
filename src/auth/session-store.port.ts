import type { Account, AccountKey } from './accounts.js';

export interface Session {
  /** Identifies the session in lists; does not give access. */
  readonly id: string;
  /** SHA-256 of the session's secret, lower-case hex, so that a stolen database gives no access. */
  readonly tokenHash: string;
  readonly account: Account;
  /** The id token of the sign-in, encrypted with the session's secret; undefined when there is none. */
  readonly sealedIdToken?: string | undefined;
  /** Network address of the client that opened it. */
  readonly from: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Time at which the session expires unless it is used before, in milliseconds since the epoch. */
  readonly expiresMs: number;
  /** Time at which the session expires regardless of use, in milliseconds since the epoch. */
  readonly endsMs: number;
}

export interface SessionReader {
  /** Returns the session with this hash, expired or not; undefined when there is none. */
  find(tokenHash: string): Promise<Session | undefined>;
  /** Returns the session with this id, expired or not; undefined when there is none. */
  findById(id: string): Promise<Session | undefined>;
  /** Lists the newest `limit` sessions, expired or not, of one account or of all; newest first. */
  list(owner: AccountKey | undefined, limit: number): Promise<Session[]>;
  /** Counts the sessions that have not expired at `nowMs`. */
  count(nowMs: number): Promise<number>;
}

export interface SessionStore extends SessionReader {
  /** Adds the session, or replaces the one with the same hash. */
  put(session: Session): Promise<void>;
  /** Removes the session. Returns false if there was nothing to remove. */
  remove(tokenHash: string): Promise<boolean>;
  /** Removes all sessions that expired before `nowMs`; resolves to the number removed. */
  removeExpired(nowMs: number): Promise<number>;
}
