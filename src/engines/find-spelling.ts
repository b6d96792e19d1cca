import { foldTraceably } from '../../packages/search-language/folded-text.js';
import { locatedParts } from '../../packages/search-language/tokenize.js';
import type { Entry } from '../entries/entry.js';
import { foldCase } from '../kernel/text.js';
import { readable } from './facet-terms.js';
import { type Field, fields, type Kind, kinds, separator } from './search-terms.js';

/** Maximum number of UTF-16 code units at the beginning of a text that are searched for a word. */
const maxTextLength = 131_072;

/** Values of an entry that are compared as a whole, by kind. */
const valuesOf: Partial<Record<Kind, (entry: Entry) => readonly string[]>> = {
  [kinds.owner]: ({ owner }) => [owner],
  [kinds.level]: ({ level }) => [level],
  [kinds.logbook]: ({ logbooks }) => logbooks.map(({ name }) => name),
  [kinds.tag]: ({ tags }) => tags.map(({ name }) => name),
  [kinds.device]: ({ devices = [] }) => devices,
};

/** Returns a term as the entry spells it; the folded term if the entry does not contain it. */
export function findSpelling(entry: Entry, kind: Kind, field: Field, name: string): string {
  const values = valuesOf[kind]?.(entry);
  if (values) return values.find((value) => foldCase(value) === name) ?? name;
  if (kind !== kinds.word) return findProperty(entry, kind, name) ?? readable(name);
  return findWord(field === fields.title ? entry.title : entry.description, name) ?? name;
}

function findWord(text: string, word: string): string | undefined {
  const start = text.slice(0, maxTextLength);
  const traceable = foldTraceably(start);
  const placed = traceable && locatedParts(traceable.folded).find(({ term }) => term === word);
  return placed && start.slice(...traceable.original(placed.start, placed.end));
}

function findProperty({ properties }: Entry, kind: Kind, name: string): string | undefined {
  const written = properties.flatMap((property) => {
    if (kind === kinds.property) return [[property.name]];
    return property.attributes.map((attribute) =>
      kind === kinds.attribute
        ? [property.name, attribute.name]
        : [property.name, attribute.name, attribute.value ?? ''],
    );
  });
  const found = written.find((parts) => parts.map((part) => foldCase(part.trim())).join(separator) === name);
  return found?.map((part) => part.trim()).join('.');
}
