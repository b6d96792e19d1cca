import type { Entry } from 'ldapts';
import { normalizeDn, parseDn } from '../../kernel/distinguished-name.js';

/** Returns the text values of an attribute, ignoring the case of its name. */
export function textsOf(entry: Entry, attribute: string): string[] {
  return valuesOf(entry, attribute).filter((value) => typeof value === 'string');
}

/** Returns the values of an attribute that was requested as binary. */
export function buffersOf(entry: Entry, attribute: string): Buffer[] {
  return valuesOf(entry, attribute).filter((value) => Buffer.isBuffer(value));
}

function valuesOf(entry: Entry, attribute: string): (string | Buffer)[] {
  const [, values] = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? [];
  return values === undefined ? [] : [values].flat();
}

/**
 * Returns whether two DNs are equal except for case, spaces and escapes; false if only the schema of the directory
 * could tell.
 */
export function looksLikeSameDn(one: string, other: string): boolean {
  const [name, otherName] = [one, other].map((dn) => parseDn(dn));
  return name !== undefined && otherName !== undefined && normalizeDn(name) === normalizeDn(otherName);
}
