import type { Account, AccountKey } from './accounts.js';
import type { Right } from './permissions.js';

/** A secret with which a program authenticates instead of its owner's password. */
export interface ApiToken {
  /** Identifies the token in lists; does not give access. */
  readonly id: string;
  /** SHA-256 of the token's secret, lower-case hex. */
  readonly tokenHash: string;
  /** Name that its owner chose. */
  readonly name: string;
  /** Owner of the token, as the provider last described them. */
  readonly account: Account;
  readonly rights: readonly Right[];
  /** True if entries created with the token are marked as automatic; undefined otherwise. */
  readonly isAutomatic?: true | undefined;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** Time at which the token expires, in milliseconds since the epoch. */
  readonly expiresMs: number;
}

export interface TokenReader {
  /** Returns the token with this hash, expired or not; undefined when there is none. */
  find(tokenHash: string): Promise<ApiToken | undefined>;
  /** Returns the token with this id, expired or not; undefined when there is none. */
  findById(id: string): Promise<ApiToken | undefined>;
  /** Lists the newest `limit` tokens, expired or not, of one account or of all; newest first. */
  list(owner: AccountKey | undefined, limit: number): Promise<ApiToken[]>;
}

export interface TokenStore extends TokenReader {
  /** Adds the token, or replaces the one with the same id. */
  put(token: ApiToken): Promise<void>;
  /** Removes the token. Returns false if there was nothing to remove. */
  remove(id: string): Promise<boolean>;
}
