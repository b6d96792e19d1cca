import type { CatalogItems, CatalogKind, ImportedVersion, Template } from '../../imports/import-source.port.js';

type Json = Record<string, unknown>;
type RereadVersion = Omit<ImportedVersion, 'attachments'>;

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The text that is stored for a value; undefined when no text is stored for it. */
function asText(value: unknown): string | undefined {
  if (value === null || value === undefined || typeof value === 'object') return undefined;
  const text = String(value).split('\0').join('\ufffd');
  return text.isWellFormed() ? text : text.toWellFormed();
}

const asState = (value: unknown) => (String(value).toUpperCase() === 'INACTIVE' ? 'Inactive' : 'Active');

/**
 * The time that is stored for a value, in milliseconds. A number is read as seconds if it would be a time before 1973
 * in milliseconds.
 */
function asTime(value: unknown, isExact: boolean): number | undefined {
  let ms = Number.NaN;
  if (isObject(value)) {
    const wholeMs = Number(value.epochSecond ?? value.seconds) * 1_000;
    ms = wholeMs + Math.floor(Number(value.nano ?? value.nanos ?? 0) / 1_000_000);
  } else if (typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(String(value).trim())) {
    const number = Number(value);
    ms =
      number >= 1e8 && number < 1e11 && !(isExact && typeof value === 'number') ? Math.round(number * 1_000) : number;
  } else if (typeof value === 'string' && value !== '') {
    const hasZone = /(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(value.trim());
    ms = Date.parse(
      hasZone || !/^\d{4}-\d\d-\d\d.\d\d:\d\d/.test(value) ? value : `${value.trim().replace(' ', 'T')}Z`,
    );
  }
  return ms >= Date.parse('0000-01-01T00:00:00Z') && ms <= Date.parse('9999-12-31T23:59:59.999Z')
    ? Math.trunc(ms)
    : undefined;
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

function attributesOf({ attributes, value }: Json) {
  return pairs(attributes ?? value).map(([name, one]) => ({
    name,
    value: asText(isObject(one.value) || Array.isArray(one.value) ? JSON.stringify(one.value) : one.value) ?? null,
    state: asState(one.state) as 'Active' | 'Inactive',
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

/** Returns what should be stored for a version, without its files. */
export function reread(log: Json): RereadVersion {
  const isExact = typeof log.version === 'number';
  const modified = asTime(log.modifyDate, isExact);
  const events = Array.isArray(log.events) ? log.events.filter(isObject) : [];
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
    events: events.flatMap((event) => {
      const instant = asTime(event.instant ?? event.value, isExact);
      return instant === undefined ? [] : [{ name: asText(event.name) ?? '', instant }];
    }),
    logbooks: pairs(log.logbooks).map(([name, { owner, state }]) => ({
      name,
      owner: asText(owner) ?? '',
      state: asState(state),
    })),
    tags: pairs(log.tags).map(([name, { state }]) => ({ name, state: asState(state) })),
    properties: propertiesOf(log.properties),
  } satisfies RereadVersion & Record<keyof RereadVersion, unknown>;
}

/** Returns the items that a list of the catalogue should have. The last of several with one name counts. */
export function rereadItems<K extends CatalogKind>(kind: K, list: readonly unknown[]): CatalogItems[K][] {
  const items = new Map<string, unknown>();
  for (const [name, one] of pairs(list)) {
    const { owner, state, defaultLevel } = one;
    if (kind === 'levels') items.set(name, { name, defaultLevel: defaultLevel === true });
    else if (kind === 'tags') items.set(name, { name, state: asState(state) });
    else if (kind === 'logbooks') items.set(name, { name, owner: asText(owner) ?? '', state: asState(state) });
    else {
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
