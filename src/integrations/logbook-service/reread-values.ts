import { sampleIn } from '../../imports/entry-values.js';
import type { CatalogItems, CatalogKind, ImportedVersion, Template } from '../../imports/import-source.port.js';

type Json = Record<string, unknown>;
type RereadVersion = Omit<ImportedVersion, 'attachments'>;

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Returns the text that is stored for a value; undefined when none is. */
function asText(value: unknown): string | undefined {
  if (value === null || value === undefined || typeof value === 'object') return undefined;
  const text = String(value).split('\0').join('\ufffd');
  return text.isWellFormed() ? text : text.toWellFormed();
}

const asState = (value: unknown) => (String(value).toUpperCase() === 'INACTIVE' ? 'Inactive' : 'Active');

const [second, year9999] = [1e8, Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * Converts a number to milliseconds. It is in seconds if it would be before 1973 in milliseconds, and in a finer unit
 * if after 9999.
 */
function fromNumber(number: number): number {
  if (number >= second && number < second * 1_000) return Math.round(number * 1_000);
  return [number, number / 1e3, number / 1e6].find((ms) => ms <= year9999) ?? Number.NaN;
}

/** Returns the time in a text, in UTC unless it names a zone. */
function fromText(text: string): number {
  if (/^\d\d?[./-]\d\d?[./-]\d/.test(text)) return Number.NaN;
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]+$/.test(text)) return Date.parse(`${text.replace(' ', 'T')}Z`);
  const hasZone = /(\dZ|GMT|\bUTC?|[ECMP][SD]T|\d ?[+-]\d\d:?\d\d)(?![\d.])/i.test(text);
  return Date.parse(hasZone || /^\d{4}(-\d\d){0,2}$/.test(text) ? text : `${text} UTC`);
}

/** Returns the time that is stored for a value, in milliseconds. */
function asTime(value: unknown, isExact: boolean): number | undefined {
  let ms = Number.NaN;
  if (isObject(value)) {
    const wholeMs = Number(value.epochSecond ?? value.seconds) * 1_000;
    ms = wholeMs + Math.floor(Number(value.nano ?? value.nanos ?? 0) / 1_000_000);
  } else if (Array.isArray(value)) {
    const [year, month, day, hour = 0, minute = 0, seconds = 0, nanos = 0] = value as number[];
    const isDate = value.length >= 3 && value.length <= 7 && value.every(Number.isSafeInteger) && Number(year) >= 1_000;
    if (isDate) ms = Date.UTC(Number(year), Number(month) - 1, day, hour, minute, seconds, Math.floor(nanos / 1e6));
  } else if (typeof value === 'number') ms = isExact ? value : fromNumber(value);
  else if (typeof value === 'string' && value.trim() !== '') {
    const text = value.trim();
    ms = /^-?\d+(\.\d+)?$/.test(text) ? fromNumber(Number(text)) : fromText(text);
  }
  return ms >= Date.parse('0000-01-01T00:00:00Z') && ms <= year9999 ? Math.trunc(ms) : undefined;
}

/** Returns the items of a list, or of a map by name, as pairs of a name and an item. */
function pairs(value: unknown): [string, Json][] {
  let all: [unknown, unknown][] = [];
  if (Array.isArray(value)) all = value.map((one) => (isObject(one) ? [one.name, one] : [one, {}]));
  else if (isObject(value)) {
    all = Object.entries(value).map(([name, one]) =>
      isObject(one) ? [one.name ?? name, one] : [name, { value: one }],
    );
  } else if (typeof value === 'string' || typeof value === 'number') all = [[value, {}]];
  return all.flatMap(([name, one]): [string, Json][] => {
    const text = asText(name);
    return text ? [[text, one as Json]] : [];
  });
}

function attributesOf({ attributes, value, name: property }: Json) {
  return pairs(attributes ?? value).map(([name, one]) => ({
    name,
    value: asText(isObject(one.value) || Array.isArray(one.value) ? JSON.stringify(one.value) : one.value) ?? null,
    state: asState(one.state) as 'Active' | 'Inactive',
    ...sampleIn(one, String(property)),
  }));
}

function propertiesOf(value: unknown) {
  return pairs(value).map(([name, one]) => ({
    name,
    owner: asText(one.owner) ?? '',
    state: asState(one.state) as 'Active' | 'Inactive',
    attributes: attributesOf(one),
  }));
}

/** Returns the names and times of events, from a list or a map by name. */
function pairsOfEvents(value: unknown): [name: unknown, time: unknown][] {
  if (Array.isArray(value)) return value.filter(isObject).map((one) => [one.name, one.instant ?? one.value]);
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, one]) =>
    isObject(one) ? [one.name ?? name, one.instant ?? one.value] : [name, one],
  );
}

/** Lists the files of a version, from a list or a map by name. */
export function rereadFiles(value: unknown): { readonly id: string | undefined; filename: string; said: Json }[] {
  let files: Json[] = [];
  if (Array.isArray(value)) files = value.map((one) => (isObject(one) ? one : { filename: one }));
  else if (isObject(value)) {
    files = Object.entries(value).map(([filename, one]) => (isObject(one) ? { filename, ...one } : { filename }));
  }
  const ids = new Set<string>();
  return files.flatMap((said) => {
    const id = asText(said.id) || undefined;
    const filename = (asText(said.filename) ?? asText(said.name)) || id;
    if (filename === undefined || filename === '' || ids.has(id ?? '')) return [];
    if (id !== undefined) ids.add(id);
    return [{ id, filename, said }];
  });
}

function runOf(value: unknown): RereadVersion['run'] {
  if (!isObject(value)) return undefined;
  const { status, blocks, changedDate } = value as unknown as NonNullable<RereadVersion['run']>;
  return { status, blocks, changedDate };
}

/** Returns the values that should be stored for a version, without its files. */
export function reread(log: Json): RereadVersion {
  const isExact = typeof log.version === 'number';
  const modified = asTime(log.modifyDate, isExact);
  const events = pairsOfEvents(log.events);
  return {
    owner: asText(log.owner) ?? '',
    ownerName: asText(log.ownerName),
    source: asText(log.source) ?? asText(log.description) ?? '',
    description: asText(log.description) ?? asText(log.source) ?? '',
    title: asText(log.title) ?? '',
    level: asText(log.level) ?? '',
    state: asState(log.state),
    createdDate: asTime(log.createdDate, isExact) ?? modified ?? 0,
    modifyDate: modified ?? null,
    modifiedBy: asText(log.modifiedBy) ?? null,
    events: events.flatMap(([name, time]) => {
      const instant = asTime(time, isExact);
      return instant === undefined ? [] : [{ name: asText(name) ?? '', instant }];
    }),
    logbooks: pairs(log.logbooks).map(([name, { owner, state }]) => ({
      name,
      owner: asText(owner) ?? '',
      state: asState(state),
    })),
    tags: pairs(log.tags).map(([name, { state }]) => ({ name, state: asState(state) })),
    properties: propertiesOf(log.properties),
    run: runOf(log.run),
    automatic: log.automatic === true || undefined,
  } satisfies RereadVersion & Record<keyof RereadVersion, unknown>;
}

/**
 * Returns the items that a list of the catalogue should have. Of several items with the same name, the last one counts.
 */
export function rereadItems<K extends CatalogKind>(kind: K, list: readonly unknown[]): CatalogItems[K][] {
  const items = new Map<string, unknown>();
  for (const [name, one] of pairs(list)) {
    const { owner, state, defaultLevel, devices } = one;
    if (kind === 'levels') items.set(name, { name, defaultLevel: defaultLevel === true });
    else if (kind === 'tags') items.set(name, { name, state: asState(state) });
    else if (kind === 'logbooks') {
      const listed = Array.isArray(devices) && devices.length > 0 ? { devices } : {};
      items.set(name, { name, owner: asText(owner) ?? '', state: asState(state), ...listed });
    } else {
      const attributes = [...new Map(attributesOf(one).map((attribute) => [attribute.name, attribute])).values()];
      items.set(name, { ...propertiesOf([one])[0], attributes });
    }
  }
  return [...items.values()] as CatalogItems[K][];
}

/** Returns the templates that should be stored. */
export function rereadTemplates(list: readonly unknown[]): Template[] {
  return list.filter(isObject).flatMap((one) => {
    const id = asText(one.id);
    if (!id) return [];
    const { events: _, state: __, ownerName: ___, ...fields } = reread(one);
    return [{ ...fields, id, name: (asText(one.name) || fields.title || id).trim() }];
  });
}
