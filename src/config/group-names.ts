import { normalizeDn, parseDn } from '../kernel/distinguished-name.js';

/**
 * Splits names of groups or users that are separated by commas. A name in double quotes may contain commas and doubled
 * quotes. The DN of a group must be quoted in this way.
 * @throws Error that states the problem of the list
 */
export function splitNames(value: string): string[] {
  const items = value.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?:,|$)|([^,]*)(?:,|$))/gy);
  return [...items].flatMap(([, quoted, plain = '']) => {
    if (quoted !== undefined) return [quoted.replaceAll('""', '"').trim()];
    const name = plain.trim();
    if (name.startsWith('"')) throw new Error(`a comma or the end must follow the closing quote of ${name}`);
    if (/^[\w.-]+\s*=/.test(name))
      throw new Error('a DN must be in double quotes, such as "cn=operators,dc=example,dc=org"');
    return name === '' ? [] : [name];
  });
}

/**
 * Returns the texts under which a directory may report the configured group. A DN is also returned in normalised form,
 * because DNs are compared without regard to case and spaces.
 */
export function spellingsOfGroup(name: string): string[] {
  const dn = name.includes('=') ? parseDn(name) : undefined;
  return dn ? [...new Set([name, normalizeDn(dn)])] : [name];
}
