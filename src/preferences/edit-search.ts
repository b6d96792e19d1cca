import { randomUUID } from 'node:crypto';
import { isOwnedBy } from '../auth/accounts.js';
import type { Principal } from '../auth/principal.js';
import { Fault, quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import type { PreferenceStorage } from './preference-storage.js';
import type { PreferenceReader, SavedSearch } from './preference-store.port.js';

export const savedSearchLimits = {
  /** Maximum number of saved searches of one user. */
  searches: 100,
  /** Maximum lengths in UTF-16 code units. */
  nameLength: 255,
  queryLength: 8_192,
} as const;

export type SearchDraft = Pick<SavedSearch, 'name' | 'query' | 'shared'>;

/** Saves a new search. @throws Fault conflict `saved-search.too-many`; invalid `saved-search.missing-name` */
export async function addSearch(
  storage: PreferenceStorage,
  owner: Principal,
  draft: SearchDraft,
): Promise<SavedSearch> {
  const search = toSearch(randomUUID(), owner, draft);
  return storage.write(async (tx) => {
    if ((await tx.preferences.countSearches(owner)) >= savedSearchLimits.searches) {
      throw limitFault('conflict', 'saved-search.too-many', {
        refused: 'The search was not saved.',
        limit: { amount: `${savedSearchLimits.searches} searches`, setting: undefined, countedFor: 'each user' },
        advice: 'Delete one first.',
      });
    }
    await tx.preferences.putSearch(search);
    return search;
  });
}

/**
 * Replaces a search of the user.
 * @throws Fault missing `saved-search.not-found`; forbidden `saved-search.not-the-owner`; invalid
 *   `saved-search.missing-name`
 */
export async function replaceSearch(
  storage: PreferenceStorage,
  owner: Principal,
  id: string,
  draft: SearchDraft,
): Promise<SavedSearch> {
  const search = toSearch(id, owner, draft);
  return storage.write(async (tx) => {
    await checkOwner(tx.preferences, owner, id);
    await tx.preferences.putSearch(search);
    return search;
  });
}

/**
 * Removes a search of the user; an administrator may remove any shared search.
 * @throws Fault missing `saved-search.not-found`; forbidden `saved-search.not-the-owner`
 */
export async function removeSearch(
  storage: PreferenceStorage,
  user: Principal,
  id: string,
  isAdministrator: boolean,
): Promise<void> {
  await storage.write(async (tx) => {
    // `getSearch` finds no private searches of other users, so an administrator cannot remove them.
    if (isAdministrator) await getSearch(tx.preferences, user, id);
    else await checkOwner(tx.preferences, user, id);
    await tx.preferences.removeSearch(id);
  });
}

/** Returns a search of the reader, or a shared one. @throws Fault missing `saved-search.not-found` */
export async function getSearch(preferences: PreferenceReader, reader: Principal, id: string): Promise<SavedSearch> {
  const search = await preferences.findSearch(id);
  if (search && (search.shared || isOwnedBy(reader, search.owner))) return search;
  throw new Fault('missing', 'saved-search.not-found', `Search ${quoted(id)} not found.`);
}

async function checkOwner(preferences: PreferenceReader, owner: Principal, id: string): Promise<void> {
  const stored = await getSearch(preferences, owner, id);
  if (isOwnedBy(owner, stored.owner)) return;
  throw new Fault(
    'forbidden',
    'saved-search.not-the-owner',
    `This search belongs to ${quoted(stored.owner.userName)}, who alone may change it; administrators may delete it. Save one of your own.`,
  );
}

function toSearch(
  id: string,
  { scheme, userName, displayName: ownerName }: Principal,
  { name, query, shared }: SearchDraft,
): SavedSearch {
  if (name.trim() === '') {
    throw new Fault('invalid', 'saved-search.missing-name', 'The search has no name. Add one.');
  }
  return { id, owner: { scheme, userName }, ownerName, name: name.trim(), query, shared };
}
