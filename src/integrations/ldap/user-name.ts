import type { Entry } from 'ldapts';
import type { Identity } from '../../auth/authentication-provider.port.js';
import { toDisplayName } from '../../kernel/display-name.js';
import { parseDn } from '../../kernel/distinguished-name.js';
import { toMailAddress } from '../../kernel/mail-address.js';
import { textsOf } from './ldap-values.js';

/** Attributes with the display name, the preferred one first. */
const displayNameAttributes = ['displayName', 'cn'] as const;

/** Attributes that `describePerson` reads. */
export const personAttributes = [...displayNameAttributes, 'mail'] as const;

/** Returns the names and the address that the directory has for the user. */
export function describePerson(entry: Entry, userName: string): Pick<Identity, 'displayName' | 'mail'> {
  const [told] = displayNameAttributes.flatMap((attribute) => textsOf(entry, attribute));
  const [mail] = textsOf(entry, 'mail');
  return { displayName: toDisplayName(told, userName), mail: toMailAddress(mail) };
}

/**
 * Returns the user name in the spelling of the directory. Of several values, the one in the entry's DN is used, so that
 * users cannot choose among them; undefined when there is none.
 */
export function findUserName(entry: Entry, attribute: string): string | undefined {
  const values = textsOf(entry, attribute).filter((value) => value !== '');
  if (values.length <= 1) return values[0];
  const [level = []] = parseDn(entry.dn) ?? [];
  const ownName = level.find(({ type }) => type === attribute.toLowerCase())?.value;
  return values.find((value) => value === ownName);
}
