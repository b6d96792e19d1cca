import { distance } from 'fastest-levenshtein';
import { foldTraceably } from '../../packages/search-language/folded-text.js';
import type { TextMatch } from '../../packages/search-language/search-text.js';
import { type LocatedTerm, locatedNames, locatedParts } from '../../packages/search-language/tokenize.js';
import { isForWords, wildcardTest } from '../../packages/search-language/wildcard.js';
import type { Query } from './query.js';

/** Start and end of a passage in a text, in UTF-16 code units. The end is exclusive. */
export type TextRange = readonly [start: number, end: number];

type Finder = (parts: readonly LocatedTerm[], names: () => readonly LocatedTerm[]) => readonly LocatedTerm[];

/** Finds the passages of a text that the words of a search match. */
export class Highlighter {
  private readonly finders: readonly Finder[];

  constructor(matches: readonly TextMatch[]) {
    this.finders = matches.map(toFinder);
  }

  /** Lists the passages in order, without overlaps. */
  rangesIn(text: string): TextRange[] {
    if (this.finders.length === 0) return [];
    const traceable = foldTraceably(text);
    if (!traceable) return [];
    const parts = locatedParts(traceable.folded);
    let known: readonly LocatedTerm[] | undefined;
    const names = () => (known ??= locatedNames(traceable.folded));
    const found = this.finders.flatMap((find) => find(parts, names));
    return joined(found.map(({ start, end }) => traceable.original(start, end)));
  }
}

/** Returns the highlighters for the titles and descriptions of the entries that a search finds. */
export function highlightersOf(query: Query): { readonly title: Highlighter; readonly description: Highlighter } {
  const titles = query.filters.flatMap((one) => (one.key === 'title' && !one.excluded ? one.patterns.flat() : []));
  return {
    title: new Highlighter([...query.title, ...query.anywhere, ...titles]),
    description: new Highlighter([...query.description, ...query.anywhere]),
  };
}

function toFinder(match: TextMatch): Finder {
  if (match.kind === 'phrase') return (parts) => runsOf(match.words, parts);
  if (match.kind === 'fuzzy') {
    return (parts) => parts.filter(({ term }) => distance(term, match.word) <= match.maxDistance);
  }
  const passes = wildcardTest(match.pattern);
  const found = (terms: readonly LocatedTerm[]) => terms.filter(({ term }) => passes(term));
  if (isForWords(match.pattern)) return found;
  return (parts, names) => [...found(parts), ...found(names())];
}

/** Lists the passages in which these words directly follow each other. */
function runsOf(words: readonly string[], parts: readonly LocatedTerm[]): LocatedTerm[] {
  return parts.flatMap((first, at) => {
    const last = parts[at + words.length - 1];
    if (!last || !words.every((word, offset) => parts[at + offset]?.term === word)) return [];
    return [{ term: first.term, start: first.start, end: last.end }];
  });
}

function joined(ranges: readonly TextRange[]): TextRange[] {
  const all: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}
