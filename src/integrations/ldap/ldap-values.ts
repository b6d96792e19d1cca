import type { Entry } from 'ldapts';

/** The text values of an attribute, however the directory spells its name. */
export function textsOf(entry: Entry, attribute: string): string[] {
  return valuesOf(entry, attribute).filter((value) => typeof value === 'string');
}

/** The values of an attribute that was asked for as binary. */
export function buffersOf(entry: Entry, attribute: string): Buffer[] {
  return valuesOf(entry, attribute).filter((value) => Buffer.isBuffer(value));
}

function valuesOf(entry: Entry, attribute: string): (string | Buffer)[] {
  const [, values] = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? [];
  return values === undefined ? [] : [values].flat();
}

/** The names of groups, each once, in order. */
export function groupNames(groups: readonly Entry[]): string[] {
  return [...new Set(groups.flatMap((group) => textsOf(group, 'cn').slice(0, 1)))].sort();
}

/** The value of the first part of a DN. */
export function firstValue(dn: string): string | undefined {
  const [, value] = /^[^=]*=((?:\\.|[^\\,+])*)/s.exec(dn) ?? [];
  return value === undefined ? undefined : unescaped(value);
}

/** Whether two DNs look like the same one; false where only the directory's schema can tell. */
export function looksLikeSameDn(one: string, other: string): boolean {
  const [plain, otherPlain] = [one, other].map((dn) => unescaped(dn).toLowerCase());
  return plain === otherPlain;
}

function unescaped(text: string): string {
  return text.replace(/(?:\\[0-9a-f]{2})+|\\(.)/gis, (escaped, char?: string) =>
    char === undefined ? Buffer.from(escaped.replaceAll('\\', ''), 'hex').toString() : char,
  );
}
