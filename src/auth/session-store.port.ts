import type { Account } from './accounts.js';

export interface Session {
  /** Names the session where it is listed; opens nothing. */
  readonly id: string;
  /** SHA-256 of the session's secret, lower-case hex: a stolen database opens no session. */
  readonly tokenHash: string;
  readonly account: Account;
  /** The address that it was opened from. */
  readonly from: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Milliseconds since the epoch; the session is void from then on, unless it is used before. */
  readonly expiresMs: number;
  /** Milliseconds since the epoch; the session is void from then on. */
  readonly endsMs: number;
}

export interface SessionReader {
  /** The session of that hash, expired or not; undefined when there is none. */
  find(tokenHash: string): Promise<Session | undefined>;
  /** The session of that id, expired or not; undefined when there is none. */
  findById(id: string): Promise<Session | undefined>;
  /** The newest sessions, expired or not, of one user or of all; newest first. */
  list(userName: string | undefined, limit: number): Promise<Session[]>;
}

export interface SessionStore extends SessionReader {
  /** Adds the session, or replaces the one of that hash. */
  put(session: Session): Promise<void>;
  /** True when removed; false, and no effect, when there was none. */
  remove(tokenHash: string): Promise<boolean>;
  /** Removes all that expired before `nowMs`; resolves to their number. */
  removeExpired(nowMs: number): Promise<number>;
}
