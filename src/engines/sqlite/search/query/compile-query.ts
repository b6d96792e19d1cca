import { distance } from 'fastest-levenshtein';
import { limitFault } from '../../../../kernel/limit.js';
import type { Query, TextMatch, TimeWindow, ValueFilter } from '../../../../search/query.js';
import type { ExplainedPart } from '../../../../search/search-index.port.js';
import { partsOf } from '../../../../search/tokenize.js';
import { isForWords, longestLiteral, wildcardTest } from '../../../../search/wildcard.js';
import { readable, type TermPattern, termPatterns, type ValuePatterns } from '../../../facet-terms.js';
import { type Field, type Flag, type FoundTerm, fields, type Kind, kinds, textsOf } from '../../../search-terms.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { type Container, filter, idOf, or } from '../index/containers.js';
import { allOf, anyOf, type Condition, createdAfter, intersect, listCondition, phrasePositions } from './conditions.js';
import type { MatchingTerms } from './dictionary.js';
import { type Expansion, expansionTo } from './expansion.js';
import type { IndexReader } from './index-reader.js';
import type { PostingList } from './postings.js';
import { type WantedTerms, wideCondition } from './wide-condition.js';
import { windowCondition } from './window-condition.js';

/** One part of a query, compiled to a condition. */
export interface CompiledClause {
  readonly key: keyof Query;
  /** The value searched for, in the folded form in which it is compared. */
  readonly value: string;
  readonly interpretedAs: ExplainedPart['interpretedAs'];
  readonly expansion?: Expansion;
  readonly condition: Condition;
  /** True when the matching entries are left out. */
  readonly excluded: boolean;
}

type Interpretation = Pick<CompiledClause, 'value' | 'interpretedAs' | 'expansion' | 'condition'>;

const fieldsOf = {
  title: [fields.title],
  description: [fields.description],
  attachmentText: [fields.attachment],
  anywhere: Object.values(fields),
  excluded: Object.values(fields),
} satisfies Partial<Record<keyof Query, readonly Field[]>>;

/** How many terms that the parts of one search match are held in memory; patterns that match more are not expanded. */
const maxExpandedTerms = 50_000;

/** Compiles the parts of a query to conditions. */
export class QueryCompiler {
  private expandedTerms = 0;
  private readonly expansions = new Map<string, MatchingTerms>();

  constructor(
    private readonly reader: IndexReader,
    /** Throws when the time limit is exceeded. */
    private readonly checkTime: () => void,
  ) {}

  compile(query: Query): CompiledClause[] {
    const texts = (Object.keys(fieldsOf) as (keyof typeof fieldsOf)[]).flatMap((key) =>
      query[key].map((match) => ({ ...this.text(match, fieldsOf[key]), key, excluded: key === 'excluded' })),
    );
    const lists: ValuePatterns[] = [
      { key: 'owners', patterns: query.owners },
      { key: 'levels', patterns: query.levels },
      { key: 'logbooks', patterns: query.logbooks },
      { key: 'tags', patterns: query.tags },
      { key: 'properties', patterns: query.properties },
      { key: 'attachments', patterns: query.attachments },
    ];
    return [
      ...texts,
      ...lists
        .filter(({ patterns }) => patterns.length > 0)
        .map((list) => ({ ...this.facet(termPatterns(list)), key: list.key, excluded: false })),
      ...query.filters.map((filter) => ({ ...this.filter(filter), key: filter.key, excluded: filter.excluded })),
      ...query.flags.map(({ flag, wanted }) => ({
        key: 'flags' as const,
        value: flag,
        interpretedAs: 'flag' as const,
        condition: this.flag(flag),
        excluded: !wanted,
      })),
      ...(query.window ? [this.window(query.window)] : []),
    ];
  }

  /** Entries with a flag; every entry has `any`. */
  flag(flag: Flag): Condition {
    return this.term(kinds.flag, flag, [0]);
  }

  /** Entries with a word in any field, or with a facet value. */
  has(kind: Kind, name: string): Condition {
    return this.term(kind, name, kind === kinds.word ? fieldsOf.anywhere : [0]);
  }

  /** Entries that are neither found nor counted: those that the user must not see, and those of a later time. */
  hidden({ hiddenLogbooks, asOf }: Pick<Query, 'hiddenLogbooks' | 'asOf'>): Condition[] {
    const closed = hiddenLogbooks.map((name) => this.term(kinds.logbook, name, [0]));
    return asOf === undefined ? closed : [...closed, createdAfter(asOf)];
  }

  /** Entries whose title matches. */
  inTitle(match: TextMatch): Condition {
    return this.text(match, [fields.title]).condition;
  }

  private filter(filter: ValueFilter): Interpretation {
    if (filter.key !== 'title') return this.facet(termPatterns(filter));
    const titles = filter.patterns.map((matches) => matches.map((match) => this.text(match, [fields.title])));
    return {
      value: titles.map((texts) => texts.map(({ value }) => value).join(' ')).join(', '),
      interpretedAs: 'values',
      condition: anyOf(titles.map((texts) => allOf(texts.map(({ condition }) => condition)))),
    };
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
    const { terms, lists } = this.wanted(wanted);
    return {
      value: pattern,
      interpretedAs: 'wildcard',
      expansion: expansionTo(terms, termKinds, passes),
      condition: {
        ...lists,
        matches: (entry) =>
          termKinds.some((kind) => inFields.some((field) => entry.some(kind, field, passes, literal))),
      },
    };
  }

  private facet(patterns: readonly TermPattern[]): Interpretation {
    const distinct = Array.from(new Map(patterns.map((one) => [`${one[0]} ${one[1].text}`, one])).values());
    const termsWith = (wildcards: boolean) =>
      distinct
        .filter(([, { hasWildcards }]) => hasWildcards === wildcards)
        .map(([kind, { text }]) => [kind, text] as const);
    const exact = termsWith(false);
    const wildcards = termsWith(true);
    const written = patterns.map(([, { text }]) => readable(text)).join(', ');
    const { terms, lists } = this.wanted({ fields: [0], exact, patterns: wildcards, written });
    const tests = wildcards.map(([kind, text]) => [kind, wildcardTest(text)] as const);
    return {
      value: written,
      interpretedAs: 'values',
      ...(wildcards.length > 0 && {
        expansion: {
          indexed: terms.map(({ name }) => readable(name)),
          in: (entry) => tests.flatMap(([kind, passes]) => entry.filter(kind, 0, passes).map(readable)),
        },
      }),
      condition: {
        ...lists,
        matches: (entry) =>
          exact.some(([kind, text]) => entry.has(kind, 0, text)) ||
          tests.some(([kind, passes]) => entry.some(kind, 0, passes)),
      },
    };
  }

  /** Returns terms that the patterns match, and the condition on indexed entries. */
  private wanted(wanted: WantedTerms) {
    const expanded = new Map<number, FoundTerm>();
    let isComplete = true;
    for (const [kind, pattern] of wanted.patterns) {
      this.checkTime();
      const found = this.matching(kind, pattern);
      for (const term of found.terms) expanded.set(term.id, term);
      isComplete &&= found.isComplete;
      if (!isComplete) break;
    }
    const terms = [...expanded.values()];
    if (!isComplete) return { terms, lists: wideCondition(this.reader, wanted, this.flag('any'), this.checkTime) };
    const ids = new Set([
      ...wanted.exact.flatMap(([kind, name]) => this.found(kind, name)).map(({ id }) => id),
      ...expanded.keys(),
    ]);
    return { terms, lists: listCondition(() => this.reader.postings.union([...ids], wanted.fields, this.checkTime)) };
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
    const lists = inFields.map((field) => words.map((word) => this.list(kinds.word, word, field)));
    const pairs = words.slice(1).map((word, at) => [words[at] as string, word] as const);
    const pairsFrom = frequentWords.firstChunkWithPairs(words);
    const pairLists =
      pairsFrom === undefined
        ? []
        : inFields.map((field) => pairs.map(([one, other]) => postings.list(frequentWords.pairOf(one, other), field)));
    const occurs = (texts: readonly string[]) => texts.some((text) => phrasePositions(partsOf(text), words).length > 0);

    const filterChunk = (chunk: number, entries?: Container): Container => {
      const paired = pairsFrom !== undefined && chunk >= pairsFrom;
      const candidates = or((paired ? pairLists : lists).map((inOne) => intersect(inOne, chunk, entries)));
      if (paired && words.length === 2) return candidates;
      let checked = 0;
      return filter(candidates, (low) => {
        if (checked++ % 256 === 0) this.checkTime();
        const entry = getSearchable(documents, idOf(chunk, low));
        return inFields.some((field) => occurs(textsOf(entry, field)));
      });
    };
    return {
      size: () => lists.reduce((sum, inOne) => sum + Math.min(...inOne.map(({ entries }) => entries)), 0),
      idsIn: (chunk) => filterChunk(chunk),
      filter: filterChunk,
      matches: (entry) => inFields.some((field) => occurs(entry.texts(field))),
    };
  }

  private window(window: TimeWindow): CompiledClause {
    // A range of ids may contain ids without an entry, which `any` excludes.
    const condition = windowCondition(this.reader, window, this.flag('any'), this.checkTime);
    return { key: 'window', value: '', interpretedAs: 'window', condition, excluded: false };
  }

  /** Looks the terms up only once: relevance compiles the same text again for titles. */
  private matching(kind: Kind, pattern: string): MatchingTerms {
    const key = `${kind} ${pattern}`;
    const known = this.expansions.get(key);
    if (known) return known;
    const found = this.reader.dictionary.matching(kind, pattern);
    this.expandedTerms += found.terms.length;
    const matching = this.expandedTerms > maxExpandedTerms ? { ...found, isComplete: false } : found;
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
        refused: `The fuzzy and wildcard parts of this search together match too many different words; the last of them is “${word}”.`,
        limit: { amount: `${maxExpandedTerms} words`, setting: undefined, countedFor: 'each search, of any client' },
        advice: `Write more letters of “${word}”, or search for fewer at once.`,
      });
    }
    this.expansions.set(key, { terms, isComplete: true });
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
