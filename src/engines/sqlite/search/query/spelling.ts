import type { Entry } from '../../../../entries/entry.js';
import { foldCase } from '../../../../kernel/text.js';
import { foldTraceably } from '../../../../search/folded-text.js';
import { placedParts } from '../../../../search/tokenize.js';
import type { Connection } from '../../database/connection.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { type Container, idOf, lowsOf } from '../index/containers.js';
import { type Field, type FoundTerm, fields, type Kind, kinds, separator } from '../index/terms.js';
import { readable } from './facet-terms.js';
import type { Postings } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** The terms that suggestions are taken from. */
export interface TermRange {
  readonly kind: Kind;
  readonly field: Field;
  readonly prefix: string;
}

/** The entries from which spellings are taken. */
export interface SpelledEntries {
  /** Returns those of the entries of a chunk that are among them and whose current version is indexed. */
  indexed(chunk: number, entries: Container): Container;
  /** Those whose current version is not indexed. */
  readonly unindexed: readonly UnindexedEntry[];
}

/** A word is looked for in this much of a text. */
const maxTextLength = 131_072;

/**
 * Returns a term as it is written in the newest of the entries that has it, so that nothing else shows; folded when it
 * is not found there.
 */
export function spellingOf(
  { documents, postings }: { readonly documents: Connection; readonly postings: Postings },
  among: SpelledEntries,
  { kind, field }: Pick<TermRange, 'kind' | 'field'>,
  { id, name }: FoundTerm,
): string {
  const unindexed = among.unindexed.findLast((entry) => entry.has(kind, field, name))?.entry.view;
  const entryId = unindexed ? undefined : newestWith(postings, among, id, field);
  const entry = unindexed ?? (entryId === undefined ? undefined : getSearchable(documents, entryId).view);
  if (!entry) return readable(name);
  if (kind !== kinds.word) return findProperty(entry, kind, name) ?? readable(name);
  return findWord(field === fields.title ? entry.title : entry.description, name) ?? name;
}

function newestWith(postings: Postings, among: SpelledEntries, termId: number, field: number): number | undefined {
  const { chunks } = postings.list(termId, field);
  for (const chunk of [...chunks.keys()].sort((one, other) => other - one)) {
    const container = chunks.get(chunk);
    const low = container && lowsOf(among.indexed(chunk, container)).at(-1);
    if (low !== undefined) return idOf(chunk, low);
  }
  return undefined;
}

function findWord(text: string, word: string): string | undefined {
  const start = text.slice(0, maxTextLength);
  const traceable = foldTraceably(start);
  const placed = traceable && placedParts(traceable.folded).find(({ term }) => term === word);
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
