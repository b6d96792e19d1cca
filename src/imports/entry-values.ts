import type { SourceVersion } from './import-source.port.js';

/** What a service may send in place of what it should: every field is of any type, or absent. */
export type Loose = Readonly<Record<string, unknown>>;

export type Remark = (sentence: string) => void;

/** A version without its attachments. */
export type VersionValues = Omit<SourceVersion, 'attachments'>;

export function isRecord(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value as text; undefined for null, absent, and what is not text. */
export function textOf(value: unknown): string | undefined {
  // Neither is stored: the first ends a text in PostgreSQL, the second has no form in UTF-8.
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

/** The elements of a list. Some services send null for an empty one, or a set as an object with the names as keys. */
export function listOf(value: unknown): Loose[] {
  if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? one : { name: one }));
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, one]) => ({ name, filename: name, ...(isRecord(one) ? one : {}) }));
}

/** The years 0 to 9999. */
const [earliestMs, latestMs] = [-62_167_219_200_000, 253_402_300_799_999];

/** Milliseconds since the epoch; undefined when the value is no time. */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? parseTime(value) : Number.NaN;
  return ms >= earliestMs && ms <= latestMs ? Math.trunc(ms) : undefined;
}

function parseTime(text: string): number {
  if (text.trim() === '') return Number.NaN;
  return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
}

export function stateOf(value: unknown): 'Active' | 'Inactive' {
  return typeof value === 'string' && value.toLowerCase() === 'inactive' ? 'Inactive' : 'Active';
}

type Named = Loose & { readonly name: string };

/** Returns the named elements of a list; those without a name are left out, which is remarked. */
export function namedOf(value: unknown, what: string, remark: Remark): Named[] {
  const named: Named[] = [];
  for (const one of listOf(value)) {
    const name = textOf(one.name);
    if (name === undefined || name === '') remark(`A ${what} without a name was left out.`);
    else named.push(one.name === name ? (one as Named) : { ...one, name });
  }
  return named;
}

/** Reads the fields of an entry as a service sends it. */
export function readVersion(entry: Loose, remark: Remark): VersionValues {
  const description = textOf(entry.description);
  const source = textOf(entry.source) ?? description ?? '';
  if (textOf(entry.title) === undefined) remark('The title was missing; it is empty now.');
  const created = timeOf(entry.createdDate);
  if (created === undefined) remark('The date of creation was missing; it is that of the last edit now, or 0.');
  const modifyDate = timeOf(entry.modifyDate) ?? null;
  return {
    owner: textOf(entry.owner) ?? '',
    ...(textOf(entry.ownerName) !== undefined && { ownerName: textOf(entry.ownerName) }),
    source,
    description: description ?? source,
    title: textOf(entry.title) ?? '',
    level: textOf(entry.level) ?? '',
    state: stateOf(entry.state),
    createdDate: created ?? modifyDate ?? 0,
    modifyDate,
    modifiedBy: textOf(entry.modifiedBy) ?? null,
    events: readEvents(entry.events, remark),
    logbooks: namedOf(entry.logbooks, 'logbook', remark).map((logbook) => ({
      name: logbook.name,
      owner: textOf(logbook.owner) ?? '',
      state: stateOf(logbook.state),
    })),
    tags: namedOf(entry.tags, 'tag', remark).map(({ name, state }) => ({ name, state: stateOf(state) })),
    properties: readProperties(entry.properties, remark),
  };
}

function readEvents(events: unknown, remark: Remark): VersionValues['events'] {
  return listOf(events).flatMap((event) => {
    const instant = timeOf(event.instant);
    if (instant !== undefined) return [{ name: textOf(event.name) ?? '', instant }];
    remark('An event without a time was left out.');
    return [];
  });
}

export function readProperties(properties: unknown, remark: Remark): VersionValues['properties'] {
  return namedOf(properties, 'property', remark).map(({ name, owner, state, attributes }) => ({
    name,
    owner: textOf(owner) ?? '',
    state: stateOf(state),
    attributes: namedOf(attributes, 'attribute', remark).map((attribute) => ({
      name: attribute.name,
      value: textOf(attribute.value) ?? null,
      state: stateOf(attribute.state),
    })),
  }));
}
