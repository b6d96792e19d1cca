import type { ValueCount } from '../../../../search/search-index.port.js';
import type { SuggestRequest } from '../../../../search/suggestions.js';
import { type Field, kinds } from '../../../search-terms.js';
import { isSuggested, suggestRange, type TermRange } from '../../../suggest-range.js';
import type { Connection } from '../../database/connection.js';
import { count } from '../index/containers.js';
import type { FrequentWords } from '../index/frequent-words.js';
import type { CountedTerm, Dictionary } from './dictionary.js';
import type { Postings } from './postings.js';
import { speller } from './spelling.js';
import type { VisibleEntries } from './visible-entries.js';

/** Maximum number of terms with the prefix that are counted; frequent words are always counted. */
const maxCounted = 10_000;

interface SuggestReader {
  readonly documents: Connection;
  readonly postings: Postings;
  readonly dictionary: Dictionary;
  readonly frequentWords: FrequentWords;
  readonly checkTime: () => void;
}

interface Candidate extends CountedTerm {
  /** Number of visible unindexed entries with the term. */
  readonly unindexed: number;
}

interface Counted {
  readonly term: Candidate;
  readonly count: number;
}

/** Returns the most frequent values with the prefix among visible entries, with exact counts. */
export function suggest(reader: SuggestReader, visible: VisibleEntries, request: SuggestRequest): ValueCount[] {
  const range = suggestRange(request);
  const best = countBest(reader, visible, range, request.size);
  const spell = speller(reader, visible, range, request.hiddenLogbooks.length > 0);
  return best.map(({ term, count: entries }) => ({ name: spell(term), count: entries }));
}

/**
 * Counts candidates in descending order of their upper bounds, which the index knows without reading entries. Stops
 * when no further candidate can be among the best.
 */
function countBest(reader: SuggestReader, visible: VisibleEntries, range: TermRange, size: number): Counted[] {
  const best: Counted[] = [];
  for (const term of candidates(reader, visible, range)) {
    reader.checkTime();
    const worst = best.length === size ? best.at(-1) : undefined;
    if (worst && isBetter(worst, { term, count: term.entries + term.unindexed })) break;
    const counted = { term, count: countVisible(reader, visible, range.field, term) };
    if (counted.count === 0) continue;
    const at = best.findIndex((one) => isBetter(counted, one));
    best.splice(at < 0 ? best.length : at, 0, counted);
    if (best.length > size) best.pop();
  }
  return best;
}

function isBetter(one: Counted, other: Counted): boolean {
  return one.count > other.count || (one.count === other.count && one.term.name < other.term.name);
}

function candidates(reader: SuggestReader, visible: VisibleEntries, range: TermRange): Candidate[] {
  const { dictionary, frequentWords } = reader;
  const { kind, field, prefix } = range;
  const terms = new Map(dictionary.startingWith(kind, prefix, field, maxCounted).map((term) => [term.name, term]));
  const frequent = kind === kinds.word && terms.size === maxCounted ? frequentWords.startingWith(prefix) : [];
  for (const word of frequent) {
    const term = terms.has(word) ? undefined : dictionary.count(kind, word, field);
    if (term) terms.set(word, term);
  }
  const unindexed = countUnindexed(reader, visible, range);
  for (const [name, { label }] of unindexed) {
    if (!terms.has(name)) terms.set(name, { id: 0, name, label, entries: 0 });
  }
  return [...terms.values()]
    .filter(({ name }) => isSuggested(kind, name))
    .map((term) => ({ ...term, unindexed: unindexed.get(term.name)?.count ?? 0 }))
    .sort(
      (one, other) => other.entries + other.unindexed - one.entries - one.unindexed || (one.name < other.name ? -1 : 1),
    );
}

function countUnindexed(
  { checkTime }: SuggestReader,
  visible: VisibleEntries,
  { kind, field, prefix }: TermRange,
): Map<string, { label: string; count: number }> {
  const counts = new Map<string, { label: string; count: number }>();
  for (const entry of visible.unindexed) {
    checkTime();
    const labels = field === 0 ? entry.labels(kind) : undefined;
    for (const name of entry.filter(kind, field, (one) => one.startsWith(prefix))) {
      const known = counts.get(name);
      if (known) known.count += 1;
      else counts.set(name, { label: labels?.get(name) ?? '', count: 1 });
    }
  }
  return counts;
}

function countVisible({ postings }: SuggestReader, visible: VisibleEntries, field: Field, term: Candidate): number {
  let entries = term.unindexed;
  if (term.entries === 0) return entries;
  for (const [chunk, container] of postings.list(term.id, field).chunks) {
    entries += count(visible.indexed(chunk, container));
  }
  return entries;
}
