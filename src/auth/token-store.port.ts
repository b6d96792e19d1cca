import type { Account } from './accounts.js';
import type { Right } from './permissions.js';

/** What a program shows in place of its owner's password. */
export interface ApiToken {
  /** Names the token where it is listed; opens nothing. */
  readonly id: string;
  /** SHA-256 of the token's secret, lower-case hex. */
  readonly tokenHash: string;
  /** As its owner calls it. */
  readonly name: string;
  /** Its owner, as they were when they signed in last. */
  readonly account: Account;
  readonly rights: readonly Right[];
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Milliseconds since the epoch; the token is void from then on. */
  readonly expiresMs: number;
}

export interface TokenReader {
  /** The token of that hash, expired or not; undefined when there is none. */
  find(tokenHash: string): Promise<ApiToken | undefined>;
  /** The token of that id, expired or not; undefined when there is none. */
  findById(id: string): Promise<ApiToken | undefined>;
  /** The tokens, expired or not, of one user or of all; newest first. */
  list(userName: string | undefined, limit: number): Promise<ApiToken[]>;
}

export interface TokenStore extends TokenReader {
  /** Adds the token, or replaces the one of that id. */
  put(token: ApiToken): Promise<void>;
  /** True when removed; false, and no effect, when there was none. */
  remove(id: string): Promise<boolean>;
}
