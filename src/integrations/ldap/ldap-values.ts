import type { Entry } from 'ldapts';

/** Returns the text values of an attribute, whatever the case of its name. */
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

/** Returns the names of the groups, sorted and without duplicates. */
export function groupNames(groups: readonly Entry[]): string[] {
  return [...new Set(groups.flatMap((group) => textsOf(group, 'cn').slice(0, 1)))].sort();
}

/** Returns the value of the first part of a DN; undefined when it has none. */
export function firstValue(dn: string): string | undefined {
  const [, value] = /^[^=]*=((?:\\.|[^\\,+])*)/s.exec(dn) ?? [];
  return value === undefined ? undefined : unescaped(value);
}

/** True when two DNs are equal but for case and escapes; false where only the schema of the directory could tell. */
export function looksLikeSameDn(one: string, other: string): boolean {
  const [plain, otherPlain] = [one, other].map((dn) => unescaped(dn).toLowerCase());
  return plain === otherPlain;
}

function unescaped(text: string): string {
  return text.replace(/(?:\\[0-9a-f]{2})+|\\(.)/gis, (escaped, char?: string) =>
    char === undefined ? Buffer.from(escaped.replaceAll('\\', ''), 'hex').toString() : char,
  );
}
