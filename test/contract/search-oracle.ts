import { distance } from 'fastest-levenshtein';
import type { TextMatch } from '../../packages/search-language/search-text.js';
import { namesOf, partsOf } from '../../packages/search-language/tokenize.js';
import { type Entry, groupPropertyName } from '../../src/entries/entry.js';
import { foldCase } from '../../src/kernel/text.js';
import type {
  AttachmentFilter,
  FlagFilter,
  Pattern,
  PropertyPattern,
  Query,
  ValueFilter,
} from '../../src/search/query.js';
import type { SearchFacets, ValueCounts } from '../../src/search/search-index.port.js';

/** An entry with the data stored with it. */
export type Stored = Entry & {
  readonly isReply: boolean;
  /** The extracted texts of files, by checksum. */
  readonly fileTexts: Readonly<Record<string, string>>;
};

/** The slow but obviously correct search, which tests each entry. Engines must return the same result. */
export function searchByScanning(entries: readonly Stored[], query: Query): { hitCount: number; ids: number[] } {
  const hits = entries
    .filter((entry) => matches(entry, query))
    .sort((a, b) => a.createdDate - b.createdDate || a.id - b.id)
    .map((entry) => entry.id);
  if (query.sort === 'newest') hits.reverse();
  return { hitCount: hits.length, ids: hits.slice(query.from, query.from + query.size) };
}

function matches(entry: Stored, query: Query): boolean {
  const title = [entry.title];
  const description = [entry.description];
  const anywhere = [
    ...title,
    ...description,
    entry.owner,
    entry.level,
    ...entry.logbooks.map(({ name }) => name),
    ...entry.tags.map(({ name }) => name),
    ...entry.properties.flatMap(({ name, attributes }) => [
      name,
      ...attributes.flatMap((one) => [one.name, one.value ?? '']),
    ]),
    ...entry.attachments.map(({ filename }) => filename),
    ...textsOfFiles(entry),
  ];
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  return (
    query.title.every((match) => occurs(match, title)) &&
    query.description.every((match) => occurs(match, description)) &&
    query.anywhere.every((match) => occurs(match, anywhere)) &&
    query.attachmentText.every((match) => occurs(match, textsOfFiles(entry))) &&
    !query.excluded.some((match) => occurs(match, anywhere)) &&
    query.flags.every(({ flag, wanted }) => hasFlag(entry, flag) === wanted) &&
    passes(query.owners, [entry.owner]) &&
    passesLevel(query.levels, entry.level) &&
    passes(query.logbooks, names(entry.logbooks)) &&
    !entry.logbooks.some(({ name }) => query.hiddenLogbooks.includes(foldCase(name))) &&
    passes(query.tags, names(entry.tags)) &&
    passesDevice(query.devices, entry.devices) &&
    (query.properties.length === 0 || query.properties.some((pattern) => hasProperty(entry, pattern))) &&
    (query.attachments.length === 0 || query.attachments.some((filter) => hasAttachment(entry, filter))) &&
    query.filters.every((filter) => passesFilter(entry, filter) !== filter.excluded) &&
    inWindow(entry, query.window)
  );
}

/** The whole name or one of its words. */
function passesLevel(patterns: Query['levels'], level: string): boolean {
  return passes(patterns, [level, ...level.split(/[ -]/)]);
}

/** A whole name or one of the parts of a name. */
function passesDevice(patterns: Query['devices'], devices: readonly string[] = []): boolean {
  return passes(
    patterns,
    devices.flatMap((name) => [name, ...name.split(/[^a-z0-9]/i).filter((part) => part !== '')]),
  );
}

function passesFilter(entry: Stored, filter: ValueFilter): boolean {
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  if (filter.key === 'title') {
    return filter.patterns.some((matches) => matches.every((match) => occurs(match, [entry.title])));
  }
  if (filter.key === 'owners') return passes(filter.patterns, [entry.owner]);
  if (filter.key === 'levels') return passesLevel(filter.patterns, entry.level);
  if (filter.key === 'logbooks') return passes(filter.patterns, names(entry.logbooks));
  if (filter.key === 'tags') return passes(filter.patterns, names(entry.tags));
  if (filter.key === 'devices') return passesDevice(filter.patterns, entry.devices);
  if (filter.key === 'properties') return filter.patterns.some((pattern) => hasProperty(entry, pattern));
  if (filter.key === 'attachments') return filter.patterns.some((pattern) => hasAttachment(entry, pattern));
  return false;
}

function occurs(match: TextMatch, texts: readonly string[]): boolean {
  if (match.kind === 'phrase') return texts.some((text) => hasRun(partsOf(text), match.words));
  const words = texts.flatMap(partsOf);
  if (match.kind === 'fuzzy') return words.some((word) => distance(word, match.word) <= match.maxDistance);
  return [...words, ...texts.flatMap(namesOf)].some((term) => like(match.pattern, term));
}

function hasRun(words: readonly string[], run: readonly string[]): boolean {
  return words.some((_, start) => run.every((word, offset) => words[start + offset] === word));
}

function like(pattern: string, text: string): boolean {
  const source = [...pattern]
    .map((char) => (char === '*' ? '.*' : char === '?' ? '.' : `\\u{${char.codePointAt(0)?.toString(16)}}`))
    .join('');
  return new RegExp(`^${source}$`, 'su').test(text);
}

function passes(patterns: readonly Pattern[], values: readonly string[]): boolean {
  return (
    patterns.length === 0 || patterns.some((pattern) => values.some((value) => like(pattern.text, foldCase(value))))
  );
}

function hasProperty(entry: Entry, { name, attribute, value }: PropertyPattern): boolean {
  const part = (pattern: Pattern | undefined, text: string) =>
    pattern === undefined || like(pattern.text, foldCase(text.trim()));
  return entry.properties.some((property) => {
    const attributes = property.attributes.length === 0 ? [{ name: '', value: '' }] : property.attributes;
    return (
      part(name, property.name) && attributes.some((one) => part(attribute, one.name) && part(value, one.value ?? ''))
    );
  });
}

function hasAttachment(entry: Entry, filter: AttachmentFilter): boolean {
  return entry.attachments.some(({ filename, contentType }) => {
    if (filter.kind === 'any') return true;
    if (filter.kind === 'filename') return like(filter.pattern.text, foldCase(filename));
    return filter.media === 'pdf' ? contentType === 'application/pdf' : contentType.startsWith(`${filter.media}/`);
  });
}

function inWindow(entry: Entry, window: Query['window']): boolean {
  if (!window) return true;
  const instants = [entry.createdDate, ...(window.includeEvents ? entry.events.map(({ instant }) => instant) : [])];
  return instants.some((ms) => ms >= (window.startMs ?? -Infinity) && ms <= (window.endMs ?? Infinity));
}

function hasFlag(entry: Stored, flag: FlagFilter['flag']): boolean {
  if (flag === 'attachment') return entry.attachments.length > 0;
  if (flag === 'reply') return entry.isReply;
  if (flag === 'edited') return entry.modifyDate !== null;
  return flag === 'automatic' ? entry.automatic === true : entry.run?.status === flag;
}

function textsOfFiles({ attachments, fileTexts }: Stored): string[] {
  return attachments
    .filter(({ contentType }) => /^text\/|pdf$/.test(contentType))
    .map(({ checksum }) => fileTexts[checksum] ?? '');
}

/** Counts by year; all entries are of 1970. */
export function countByScanning(entries: readonly Stored[], query: Query): SearchFacets {
  const found = entries.filter((entry) => matches(entry, query));
  const count = (valuesOf: (entry: Stored) => readonly string[]): ValueCounts => {
    const counts = new Map<string, number>();
    for (const entry of found) {
      for (const value of new Set(valuesOf(entry).map(foldCase))) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = Array.from(counts, ([name, count]) => ({ name, count }));
    values.sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
    return { distinct: values.length, values };
  };
  return {
    hitCount: found.length,
    logbooks: count((entry) => entry.logbooks.map(({ name }) => name)),
    tags: count((entry) => entry.tags.map(({ name }) => name)),
    levels: count((entry) => [entry.level]),
    owners: count((entry) => [entry.owner]),
    devices: count((entry) => entry.devices ?? []),
    properties: count((entry) =>
      entry.properties.map(({ name }) => name.trim()).filter((name) => name !== '' && name !== groupPropertyName),
    ),
    time:
      found.length === 0
        ? { interval: 'year', buckets: [] }
        : {
            interval: 'year',
            fromMs: 0,
            toMs: Date.UTC(1971, 0, 1),
            buckets: [{ startMs: 0, count: found.length, levels: levelsOf(found) }],
          },
  };
}

/** All entries of a run have the same level. */
function levelsOf(entries: readonly Stored[]): Record<string, number> {
  return Object.fromEntries(entries.slice(0, 1).map(({ level }) => [level, entries.length]));
}
