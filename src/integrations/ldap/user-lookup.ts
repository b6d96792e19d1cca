import {
  AndFilter,
  type Entry,
  EqualityFilter,
  type Filter,
  FilterParser,
  PresenceFilter,
  ResultCodeError,
} from 'ldapts';
import type { LdapConnection, Search } from './ldap-connection.js';

/** A part of the directory that contains users. */
export interface UserContainer {
  readonly base: string;
  readonly scope: 'one' | 'sub';
  /** Filter that an entry must match to sign in, in addition to its name; undefined: none. */
  readonly accepts: Filter | undefined;
}

export type UserLookup =
  | { readonly kind: 'found'; readonly entry: Entry }
  /** No such user exists among the users that the connection can see. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'ambiguous' }
  /** The connection can see no users at all in this part of the directory. */
  | { readonly kind: 'hidden' };

/**
 * Result codes of a search without rights: no such object, insufficient access rights, and operations error (Active
 * Directory).
 */
const hiddenCodes = [32, 50, 1];

export interface SoughtUser extends Pick<Search, 'attributes' | 'binaryAttributes'> {
  readonly nameAttribute: string;
  /** User name in the form of `Identity`. */
  readonly userName: string;
}

/** Finds the entry of a user by the user name. */
export async function lookUpUser(
  connection: LdapConnection,
  containers: readonly UserContainer[],
  { nameAttribute, userName, ...wanted }: SoughtUser,
): Promise<UserLookup> {
  const byName = new EqualityFilter({ attribute: nameAttribute, value: userName });
  const found = new Map<string, Entry>();
  for (const { base, scope, accepts } of containers) {
    const filter = accepts ? new AndFilter({ filters: [byName, accepts] }) : byName;
    const entries = await searchVisible(connection, { base, scope, filter, ...wanted, maxEntries: 2 });
    for (const entry of entries) found.set(entry.dn, entry);
  }
  const [entry] = found.values();
  if (entry) return found.size === 1 ? { kind: 'found', entry } : { kind: 'ambiguous' };
  if (containers.length === 0) return { kind: 'hidden' };
  const hasName = new PresenceFilter({ attribute: nameAttribute });
  for (const { base, scope, accepts } of containers) {
    const filter = accepts ? new AndFilter({ filters: [hasName, accepts] }) : hasName;
    if (!(await isAnyVisible(connection, { base, scope, filter }))) return { kind: 'hidden' };
  }
  return { kind: 'absent' };
}

/** True when at least one entry matches. */
export async function isAnyVisible(
  connection: LdapConnection,
  search: Pick<Search, 'base' | 'scope' | 'filter'>,
): Promise<boolean> {
  return (await searchVisible(connection, { ...search, attributes: ['objectClass'], maxEntries: 1 })).length > 0;
}

async function searchVisible(connection: LdapConnection, search: Search): Promise<Entry[]> {
  try {
    return await connection.search(search);
  } catch (error) {
    if (error instanceof ResultCodeError && hiddenCodes.includes(error.code)) return [];
    throw error;
  }
}

/** Returns the filter with any value in place of each placeholder; undefined when that cannot be expressed. */
export function acceptAnyValue(filter: string): Filter | undefined {
  const withoutRules = filter.replace(/:[\w.:-]*=\s*\{/g, '={');
  if (/[~<>]=[^()]*\{\d\}|\(\s*!\s*\([^()]*\{\d\}/.test(withoutRules)) return undefined;
  return FilterParser.parseString(withoutRules.replace(/\s*\{\d\}\s*/g, '*').replace(/\*{2,}/g, '*'));
}
