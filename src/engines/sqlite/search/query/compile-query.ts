import { distance } from 'fastest-levenshtein';
import type { TextMatch } from '../../../../../packages/search-language/search-text.js';
import { partsOf } from '../../../../../packages/search-language/tokenize.js';
import { isForWords, longestLiteral, wildcardTest } from '../../../../../packages/search-language/wildcard.js';
import { limitFault } from '../../../../kernel/limit.js';
import type { Query, TimeWindow } from '../../../../search/query.js';
import { isFoundByWord, readable, type TermPattern, wordTest } from '../../../facet-terms.js';
import {
  allFields,
  type Clause,
  type Interpretation as ClauseInterpretation,
  compileClauses,
} from '../../../query-clauses.js';
import { type Field, type Flag, type FoundTerm, fields, type Kind, kinds, textsOf } from '../../../search-terms.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { type Container, filter, idOf, or } from '../index/containers.js';
import { allOf, anyOf, type Condition, createdAfter, intersect, listCondition, phrasePositions } from './conditions.js';
import type { MatchingTerms } from './dictionary.js';
import { type Expansion, expansionTo } from './expansion.js';
import type { IndexReader } from './index-reader.js';
import type { PostingList } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';
import { ReadEntries, type WantedTerms, wideCondition } from './wide-condition.js';
import { windowCondition } from './window-condition.js';

export type CompiledClause = Clause<Condition, Expansion>;

type Interpretation = ClauseInterpretation<Condition, Expansion>;

/**
 * Number of matching terms of one search above which reading entries may cost less than joining the lists of the terms.
 */
const maxExpandedTerms = 50_000;

interface ExpandedTerms extends MatchingTerms {
  /** Whether the parts of the search so far match few enough terms to join their lists. */
  readonly isNarrow: boolean;
}

export class QueryCompiler {
  private expandedTerms = 0;
  private readonly expansions = new Map<string, ExpandedTerms>();
  private readonly readEntries: ReadEntries;

  constructor(
    private readonly reader: IndexReader,
    /** Throws when the time limit is exceeded. */
    private readonly checkTime: () => void,
  ) {
    this.readEntries = new ReadEntries(reader.documents);
  }

  compile(query: Query): CompiledClause[] {
    return compileClauses<Condition, Expansion>(query, {
      text: (match, inFields) => this.text(match, inFields),
      values: (patterns) => this.facet(patterns),
      flag: (flag) => this.flag(flag),
      window: (window) => this.window(window),
      allOf,
      anyOf,
    });
  }

  /** Returns a condition for entries with a flag; every entry has `any`. */
  flag(flag: Flag): Condition {
    return this.term(kinds.flag, flag, [0]);
  }

  /** Returns a condition for entries with a word in any field, or with a facet value. */
  has(kind: Kind, name: string): Condition {
    return this.term(kind, name, kind === kinds.word ? allFields : [0]);
  }

  /**
   * Returns conditions for entries to exclude from results and counts: those that the user must not see, and those
   * later than `asOf`.
   */
  hidden({ hiddenLogbooks, asOf }: Pick<Query, 'hiddenLogbooks' | 'asOf'>): Condition[] {
    const closed = hiddenLogbooks.map((name) => this.term(kinds.logbook, name, [0]));
    return asOf === undefined ? closed : [...closed, createdAfter(asOf)];
  }

  inTitle(match: TextMatch): Condition {
    return this.text(match, [fields.title]).condition;
  }

  private text(match: TextMatch, inFields: readonly Field[]): Interpretation {
    this.checkTime();
    if (match.kind === 'phrase') {
      const [word = '', ...more] = match.words;
      const condition = more.length === 0 ? this.term(kinds.word, word, inFields) : this.phrase(match.words, inFields);
      return { value: match.words.join(' '), interpretedAs: more.length === 0 ? 'word' : 'phrase', condition };
    }
    if (match.kind === 'fuzzy') {
      const { word, maxDistance } = match;
      const terms = this.near(word, maxDistance);
      const isNear = (name: string) => distance(name, word) <= maxDistance;
      const condition = this.terms([kinds.word], inFields, terms, isNear);
      return { value: word, interpretedAs: 'fuzzy', expansion: expansionTo(terms, [kinds.word], isNear), condition };
    }
    const { pattern } = match;
    const termKinds = isForWords(pattern) ? [kinds.word] : [kinds.word, kinds.name];
    const passes = wildcardTest(pattern);
    const literal = longestLiteral(pattern);
    const wanted: WantedTerms = {
      fields: inFields,
      exact: [],
      patterns: termKinds.map((kind) => [kind, pattern]),
      written: pattern,
    };
    const matches = (entry: UnindexedEntry) =>
      termKinds.some((kind) => inFields.some((field) => entry.some(kind, field, passes, literal)));
    const { terms, condition } = this.wanted(wanted, matches);
    return { value: pattern, interpretedAs: 'wildcard', expansion: expansionTo(terms, termKinds, passes), condition };
  }

  private facet(patterns: readonly TermPattern[]): Interpretation {
    const distinct = Array.from(new Map(patterns.map((one) => [`${one[0]} ${one[1].text}`, one])).values());
    const termsWith = (wildcards: boolean) =>
      distinct
        .filter(([, { hasWildcards }]) => hasWildcards === wildcards)
        .map(([kind, { text }]) => [kind, text] as const);
    const byWord = distinct
      .filter(([kind]) => isFoundByWord(kind))
      .map(([kind, { text }]) => [kind, wordTest(text)] as const);
    const exact = [...termsWith(false), ...this.namesByWord(byWord)];
    const wildcards = termsWith(true);
    const written = patterns.map(([, { text }]) => readable(text)).join(', ');
    const tests = wildcards.map(([kind, text]) => [kind, wildcardTest(text)] as const);
    const matches = (entry: UnindexedEntry) =>
      exact.some(([kind, text]) => entry.has(kind, 0, text)) ||
      [...tests, ...byWord].some(([kind, passes]) => entry.some(kind, 0, passes));
    const { terms, condition } = this.wanted({ fields: [0], exact, patterns: wildcards, written }, matches);
    return {
      value: written,
      interpretedAs: 'values',
      ...(wildcards.length > 0 && {
        expansion: {
          indexed: terms.map(({ name }) => readable(name)),
          in: (entry) => tests.flatMap(([kind, passes]) => entry.filter(kind, 0, passes).map(readable)),
        },
      }),
      condition,
    };
  }

  private namesByWord(tests: readonly (readonly [Kind, (name: string) => boolean])[]): (readonly [Kind, string])[] {
    const lists = new Map(
      [...new Set(tests.map(([kind]) => kind))].map((kind) => [kind, this.reader.dictionary.list(kind)]),
    );
    return tests.flatMap(([kind, passes]) => {
      this.checkTime();
      return (lists.get(kind) ?? []).filter(({ name }) => passes(name)).map(({ name }) => [kind, name] as const);
    });
  }

  /** Returns the terms that match the patterns, and the condition for entries with any of them. */
  private wanted(
    wanted: WantedTerms,
    matches: Condition['matches'],
  ): { readonly terms: readonly FoundTerm[]; readonly condition: Condition } {
    const { reader, readEntries: entries, checkTime } = this;
    const expanded = new Map<number, FoundTerm>();
    let isNarrow = true;
    let isComplete = true;
    for (const [kind, pattern] of wanted.patterns) {
      checkTime();
      const found = this.matching(kind, pattern);
      for (const term of found.terms) expanded.set(term.id, term);
      isNarrow &&= found.isNarrow;
      isComplete &&= found.isComplete;
      if (!isComplete) break;
    }
    const terms = [...expanded.values()];
    const ids = isComplete
      ? [...new Set([...wanted.exact.flatMap(([kind, name]) => this.found(kind, name)), ...terms].map(({ id }) => id))]
      : undefined;
    if (!ids || !isNarrow) {
      const existing = this.flag('any');
      return { terms, condition: wideCondition(reader, { ...wanted, ids }, existing, { matches, entries, checkTime }) };
    }
    const lists = listCondition(() => reader.postings.union(ids, wanted.fields, checkTime));
    return { terms, condition: { ...lists, matches } };
  }

  private terms(
    termKinds: readonly Kind[],
    inFields: readonly number[],
    terms: readonly FoundTerm[],
    passes: (name: string) => boolean,
  ): Condition {
    const ids = terms.map(({ id }) => id);
    return {
      ...listCondition(() => this.reader.postings.union(ids, inFields, this.checkTime)),
      matches: (entry) => termKinds.some((kind) => inFields.some((field) => entry.some(kind, field, passes))),
    };
  }

  private term(kind: Kind, name: string, inFields: readonly number[]): Condition {
    const condition = this.terms([kind], inFields, this.found(kind, name), () => false);
    return { ...condition, matches: (entry) => inFields.some((field) => entry.has(kind, field, name)) };
  }

  private phrase(words: readonly string[], inFields: readonly Field[]): Condition {
    const { documents, frequentWords, postings } = this.reader;
    let read: PostingList[][] | undefined;
    // Chunks with pairs need no lists of words, which are long for frequent words.
    const lists = () => (read ??= inFields.map((field) => words.map((word) => this.list(kinds.word, word, field))));
    const pairs = words.slice(1).map((word, at) => [words[at] as string, word] as const);
    const pairsFrom = frequentWords.firstChunkWithPairs(words);
    const pairLists =
      pairsFrom === undefined
        ? []
        : inFields.map((field) => pairs.map(([one, other]) => postings.list(frequentWords.pairOf(one, other), field)));
    const occurs = (texts: readonly string[]) => texts.some((text) => phrasePositions(partsOf(text), words).length > 0);

    const filterChunk = (chunk: number, entries?: Container): Container => {
      const paired = pairsFrom !== undefined && chunk >= pairsFrom;
      const candidates = or((paired ? pairLists : lists()).map((inOne) => intersect(inOne, chunk, entries)));
      if (paired && words.length === 2) return candidates;
      let checked = 0;
      return filter(candidates, (low) => {
        if (checked++ % 256 === 0) this.checkTime();
        const entry = getSearchable(documents, idOf(chunk, low));
        return inFields.some((field) => occurs(textsOf(entry, field)));
      });
    };
    return {
      size: () => lists().reduce((sum, inOne) => sum + Math.min(...inOne.map(({ entries }) => entries)), 0),
      idsIn: (chunk) => filterChunk(chunk),
      filter: filterChunk,
      matches: (entry) => inFields.some((field) => occurs(entry.texts(field))),
    };
  }

  private window(window: TimeWindow): Condition {
    // A range of ids may contain ids without an entry, which `any` excludes.
    return windowCondition(this.reader, window, this.flag('any'), this.checkTime);
  }

  /** Looks up terms only once: the ranking by relevance compiles the same text again for titles. */
  private matching(kind: Kind, pattern: string): ExpandedTerms {
    const key = `${kind} ${pattern}`;
    const known = this.expansions.get(key);
    if (known) return known;
    const found = this.reader.dictionary.matching(kind, pattern);
    this.expandedTerms += found.terms.length;
    const matching = { ...found, isNarrow: this.expandedTerms <= maxExpandedTerms };
    this.expansions.set(key, matching);
    return matching;
  }

  /** @throws Fault invalid `search.too-many-terms` */
  private near(word: string, maxDistance: number): readonly FoundTerm[] {
    const key = `near ${word}`;
    const known = this.expansions.get(key);
    if (known) return known.terms;
    const terms = this.reader.dictionary.near(word, maxDistance);
    this.expandedTerms += terms.length;
    if (this.expandedTerms > maxExpandedTerms) {
      throw limitFault('invalid', 'search.too-many-terms', {
        refused: `The fuzzy and wildcard parts of this search together match too many different words. The limit was exceeded at “${word}”.`,
        limit: {
          amount: `${maxExpandedTerms} words`,
          setting: undefined,
          countedFor: 'each search, regardless of the client',
        },
        advice: `Write more letters of “${word}”, or search for fewer words.`,
      });
    }
    this.expansions.set(key, { terms, isComplete: true, isNarrow: true });
    return terms;
  }

  private found(kind: Kind, name: string): FoundTerm[] {
    const term = this.reader.dictionary.find(kind, name);
    return term ? [term] : [];
  }

  private list(kind: Kind, name: string, field: Field): PostingList {
    return this.reader.postings.union(
      this.found(kind, name).map(({ id }) => id),
      [field],
      this.checkTime,
    );
  }
}
