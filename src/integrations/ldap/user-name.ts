import type { Entry } from 'ldapts';
import { toDisplayName } from '../../kernel/display-name.js';
import { parseDn } from '../../kernel/distinguished-name.js';
import { textsOf } from './ldap-values.js';

/** Attributes that `findDisplayName` reads, the best first. */
export const displayNameAttributes = ['displayName', 'cn'] as const;

/** Returns the display name of the user; undefined when the directory has none. */
export function findDisplayName(entry: Entry, userName: string): string | undefined {
  const [told] = displayNameAttributes.flatMap((attribute) => textsOf(entry, attribute));
  return toDisplayName(told, userName);
}

/**
 * Returns the user name as the directory spells it. Of several values, it is the one in the entry's DN; undefined when
 * there is none, so that users cannot choose among them.
 */
export function findUserName(entry: Entry, attribute: string): string | undefined {
  const values = textsOf(entry, attribute).filter((value) => value !== '');
  if (values.length <= 1) return values[0];
  const [level = []] = parseDn(entry.dn) ?? [];
  const ownName = level.find(({ type }) => type === attribute.toLowerCase())?.value;
  return values.find((value) => value === ownName);
}
