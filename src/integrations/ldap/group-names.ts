import { type Entry, EqualityFilter, OrFilter } from 'ldapts';
import { type DistinguishedName, isWithin, normalizeDn, parseDn } from '../../kernel/distinguished-name.js';
import type { Log } from '../../kernel/log.js';
import type { LdapConnection } from './ldap-connection.js';

/** Maximum length of a DN of a group, because the configuration cannot contain a longer one. */
const maxDnLength = 1_000;
/** Maximum number of names in one search for groups with the same names. */
const namesPerSearch = 50;
const maxLoggedNames = 20;

/**
 * Returns the groups in the forms of the configuration: by DN, in the form of `normalizeDn`, and groups below the base
 * also by name, if no other group there has the same name. The name is the value of `cn` in the DN, because people
 * without rights on this group may set other values of the attribute, or create groups elsewhere.
 */
export async function identifyGroups(
  connection: LdapConnection,
  groups: readonly Entry[],
  base: string,
  log: Log,
): Promise<string[]> {
  const baseDn = parseDn(base) ?? [];
  const dns = groups.map(({ dn }) => parseDn(dn)).filter((dn) => dn !== undefined);
  const below = dns.filter((dn) => isWithin(dn, baseDn));
  // The directory itself keeps the names directly below the base unique.
  const direct = below.filter((dn) => dn.length === baseDn.length + 1);
  const deeper = below.filter((dn) => dn.length > baseDn.length + 1);
  const unique = await namesOfOneGroup(connection, namesOf(deeper), base, log);
  return listGroups(dns, [...namesOf(direct), ...unique]);
}

/** Returns the DNs and the names, sorted and without duplicates. Omits names that could be mistaken for a DN. */
export function listGroups(dns: readonly DistinguishedName[], names: readonly string[]): string[] {
  const usable = [
    ...dns.map(normalizeDn).filter((dn) => dn.length <= maxDnLength),
    ...names.filter((name) => !name.includes('=')),
  ];
  return [...new Set(usable)].sort();
}

/** Returns the names that only one group below the base has. */
async function namesOfOneGroup(
  connection: LdapConnection,
  names: readonly string[],
  base: string,
  log: Log,
): Promise<string[]> {
  const counts = new Map<string, number>();
  for (let at = 0; at < names.length; at += namesPerSearch) {
    const filters = names.slice(at, at + namesPerSearch).map((value) => new EqualityFilter({ attribute: 'cn', value }));
    const found = await connection.searchAll({
      base,
      scope: 'sub',
      filter: new OrFilter({ filters }),
      attributes: ['cn'],
    });
    for (const name of namesOf(found.map(({ dn }) => parseDn(dn) ?? []))) {
      counts.set(fold(name), (counts.get(fold(name)) ?? 0) + 1);
    }
  }
  const ambiguous = names.filter((name) => (counts.get(fold(name)) ?? 0) > 1);
  if (ambiguous.length > 0) {
    log.warn(
      { base, groups: ambiguous.slice(0, maxLoggedNames) },
      'ambiguous group names give no roles; configure the groups by DN',
    );
  }
  return names.filter((name) => !ambiguous.includes(name));
}

/** Returns the values of `cn` in the DNs that begin with a single `cn`. */
function namesOf(dns: readonly DistinguishedName[]): string[] {
  return dns
    .flatMap(([level = []]) => level.filter(({ type }) => level.length === 1 && type === 'cn'))
    .map((part) => part.value);
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
