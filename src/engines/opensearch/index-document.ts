import { createHash } from 'node:crypto';
import { forEachSlice, termsOf } from '../../../packages/search-language/tokenize.js';
import { groupIdOf } from '../../entries/entry.js';
import type { SearchableEntry } from '../../entries/searchable-entry.js';
import { nextSharedTurn } from '../../kernel/fair-turns.js';
import { foldCase } from '../../kernel/text.js';
import { type Field, fields, forEachFacet, textsOf } from '../search-terms.js';
import { plainVectorOf } from '../text-vectors.js';
import { namesIn, phrasesIn, type ValueKind, valueFields, wordsIn } from './index-mapping.js';
import { encodeVector, signatureParts } from './vector-terms.js';

/** Maximum length of a word in UTF-16 code units; the analyzer would split longer words. */
const maxPhraseWordLength = 200;
/** Length of text split into words in one turn of the event loop. */
const turnChars = 24_576;

/** Values of an entry in their original spelling. */
export interface ShownValues {
  readonly owner: string;
  readonly level: string;
  readonly logbooks: readonly string[];
  readonly tags: readonly string[];
  readonly devices: readonly string[];
  readonly properties: readonly string[];
}

/** Returns a word in the form in which phrase fields store it. */
export function phraseWord(word: string): string {
  if (word.length <= maxPhraseWordLength) return word;
  return `#${createHash('sha256').update(word).digest('hex')}`;
}

/** Returns a group id in the form used for comparison. */
export const groupKey = (groupId: string): string => foldCase(groupId.trim());

/**
 * Returns the index document for a version of an entry. Long texts are split into words in several turns of the event
 * loop.
 */
export async function toIndexDocument(entry: SearchableEntry, version: number): Promise<object> {
  const { id, view } = entry;
  const groupId = groupIdOf(view);
  const vector = plainVectorOf(view);
  const document: Record<string, unknown> = {
    id,
    version,
    created: view.createdDate,
    event: [...new Set(view.events.map(({ instant }) => instant))],
    ...(groupId && { thread: groupKey(groupId) }),
    ...valuesOf(entry),
    signature: signatureParts(vector),
    vector: encodeVector(vector),
    shown: shownValues(entry),
  };
  for (const field of Object.values(fields)) Object.assign(document, await textsIn(entry, field));
  return document;
}

function valuesOf(entry: SearchableEntry): Record<string, string[]> {
  const values: Record<string, Set<string>> = {};
  forEachFacet(entry, (kind, name) => {
    const field = valueFields[kind as ValueKind];
    values[field] = (values[field] ?? new Set()).add(name);
  });
  return Object.fromEntries(Object.entries(values).map(([field, names]) => [field, [...names]]));
}

function shownValues({ view }: SearchableEntry): ShownValues {
  return {
    owner: view.owner,
    level: view.level,
    logbooks: view.logbooks.map(({ name }) => name),
    tags: view.tags.map(({ name }) => name),
    devices: view.devices ?? [],
    properties: view.properties.map(({ name }) => name.trim()),
  };
}

async function textsIn(entry: SearchableEntry, field: Field): Promise<object> {
  const [words, names] = [new Set<string>(), new Set<string>()];
  const phrases: string[] = [];
  for (const text of textsOf(entry, field)) {
    const slices: string[] = [];
    forEachSlice(text, (slice) => slices.push(slice));
    const inOrder: string[] = [];
    let chars = 0;
    for (const slice of slices) {
      const found = termsOf(slice);
      for (const word of found.parts) {
        words.add(word);
        inOrder.push(phraseWord(word));
      }
      for (const name of found.names) names.add(name);
      chars += slice.length;
      if (chars < turnChars) continue;
      chars = 0;
      await nextSharedTurn();
    }
    if (inOrder.length > 0) phrases.push(inOrder.join(' '));
  }
  return { [wordsIn(field)]: [...words], [namesIn(field)]: [...names], [phrasesIn(field)]: phrases };
}
