import type { AccountKey } from '../auth/accounts.js';

/** The settings of a client, which the service stores for a user without interpreting them. */
export interface Settings {
  /** Revision, which is the entity tag: 0 before the first time they are stored, then increased by each change. */
  readonly revision: number;
  /** One object, JSON in UTF-8. */
  readonly json: Uint8Array;
}

export interface SavedSearch {
  readonly id: string;
  readonly owner: AccountKey;
  /** The display name of the owner; undefined when it was not known when the search was saved. */
  readonly ownerName?: string | undefined;
  readonly name: string;
  /** The parameters of the search, as in a URL. */
  readonly query: string;
  /** Whether all signed-in users see it. */
  readonly shared: boolean;
}

export interface PreferenceReader {
  /** Returns the settings of the account; undefined before they are stored for the first time. */
  findSettings(owner: AccountKey): Promise<Settings | undefined>;
  /** Returns the search with this id, saved by any user; undefined when there is none. */
  findSearch(id: string): Promise<SavedSearch | undefined>;
  /** Returns the number of searches that the account has saved. */
  countSearches(owner: AccountKey): Promise<number>;
  /** Yields the searches of the account and the shared ones of others, in the order in which they were saved. */
  listSearches(reader: AccountKey): AsyncGenerator<SavedSearch>;
}

export interface PreferenceStore extends PreferenceReader {
  /** Stores the settings of the account, as the next revision. */
  putSettings(owner: AccountKey, json: Uint8Array): Promise<Settings>;
  /** Adds the search, or replaces the one with the same id. */
  putSearch(search: SavedSearch): Promise<void>;
  /** Removes a search. Returns false when there was none. */
  removeSearch(id: string): Promise<boolean>;
}
