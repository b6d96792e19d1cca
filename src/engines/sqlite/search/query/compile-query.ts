import { distance } from 'fastest-levenshtein';
import { Fault } from '../../../../kernel/fault.js';
import type { Query, TextMatch, TimeWindow } from '../../../../search/query.js';
import type { ExplainedPart } from '../../../../search/search-index.port.js';
import { partsOf } from '../../../../search/tokenize.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { type Container, filter, idOf, or } from '../index/containers.js';
import { type Field, type Flag, type FoundTerm, fields, type Kind, kinds, pairOf, textsOf } from '../index/terms.js';
import { type Condition, intersect, listCondition, phrasePositions } from './conditions.js';
import { checkExpansion } from './dictionary.js';
import { attachmentTerm, propertyTerm, readable, type TermPattern } from './facet-terms.js';
import type { IndexReader } from './index-reader.js';
import type { PostingList } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';
import { wildcardTest } from './wildcard.js';
import { windowCondition } from './window-condition.js';

/** One part of a query, compiled to a condition. */
export interface CompiledClause {
  readonly key: keyof Query;
  /** The value searched for, in the folded form in which it is compared. */
  readonly value: string;
  readonly interpretedAs: ExplainedPart['interpretedAs'];
  /** The terms that a wildcard or a fuzzy word matches: those of the index, and those of an unindexed entry. */
  readonly expansion?: { readonly indexed: readonly string[]; in(entry: UnindexedEntry): readonly string[] };
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

/** The most terms that all parts of one search may match together, which bounds its time and memory. */
const maxExpandedTerms = 50_000;

/** Compiles the parts of a query to conditions. */
export class QueryCompiler {
  private expandedTerms = 0;
  private readonly expansions = new Map<string, readonly FoundTerm[]>();

  constructor(
    private readonly reader: IndexReader,
    /** Throws when the time limit is exceeded. */
    private readonly checkTime: () => void,
  ) {}

  compile(query: Query): CompiledClause[] {
    const texts = (Object.keys(fieldsOf) as (keyof typeof fieldsOf)[]).flatMap((key) =>
      query[key].map((match) => ({ ...this.text(match, fieldsOf[key]), key, excluded: key === 'excluded' })),
    );
    const facets: [keyof Query, TermPattern[]][] = [
      ['owners', query.owners.map((pattern) => [kinds.owner, pattern])],
      ['levels', query.levels.map((pattern) => [kinds.level, pattern])],
      ['logbooks', query.logbooks.map((pattern) => [kinds.logbook, pattern])],
      ['tags', query.tags.map((pattern) => [kinds.tag, pattern])],
      ['properties', query.properties.map(propertyTerm)],
      ['attachments', query.attachments.map(attachmentTerm)],
    ];
    return [
      ...texts,
      ...facets
        .filter(([, patterns]) => patterns.length > 0)
        .map(([key, patterns]) => ({ ...this.facet(patterns), key, excluded: false })),
      ...query.flags.map(({ flag, wanted }) => ({
        key: 'flags' as const,
        value: flag,
        interpretedAs: 'flag' as const,
        condition: this.flag(flag),
        excluded: !wanted,
      })),
      ...(query.window
        ? [
            {
              key: 'window' as const,
              value: '',
              interpretedAs: 'window' as const,
              condition: this.window(query.window),
              excluded: false,
            },
          ]
        : []),
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

  /** Entries that the user must not see. */
  hidden({ hiddenLogbooks }: Query): Condition[] {
    return hiddenLogbooks.map((name) => this.term(kinds.logbook, name, [0]));
  }

  /** Entries whose title matches. */
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
      const terms = this.expanded(`near ${word}`, () => this.reader.dictionary.near(word, maxDistance));
      const isNear = (name: string) => distance(name, word) <= maxDistance;
      const condition = this.terms([kinds.word], inFields, terms, isNear);
      return { value: word, interpretedAs: 'fuzzy', expansion: expansionTo(terms, [kinds.word], isNear), condition };
    }
    const { pattern } = match;
    // A part of a single word matches a name only if it also matches a word of that name; then words are enough.
    const bare = pattern.replace(/^\*|\*$/g, '');
    const words = partsOf(bare);
    const termKinds = words.length === 1 && words[0] === bare ? [kinds.word] : [kinds.word, kinds.name];
    const terms = termKinds.flatMap((kind) => this.matching(kind, pattern));
    const passes = wildcardTest(pattern);
    const condition = this.terms(termKinds, inFields, terms, passes);
    return {
      value: pattern,
      interpretedAs: 'wildcard',
      expansion: expansionTo(terms, termKinds, passes),
      condition,
    };
  }

  private facet(patterns: readonly TermPattern[]): Interpretation {
    const distinct = new Map(patterns.map((one) => [`${one[0]} ${one[1].text}`, one]));
    const exact = [...distinct.values()].filter(([, pattern]) => !pattern.hasWildcards);
    const wildcards = [...distinct.values()].filter(([, pattern]) => pattern.hasWildcards);
    const expanded = new Map<number, FoundTerm>();
    for (const [kind, { text }] of wildcards) {
      this.checkTime();
      for (const term of this.matching(kind, text)) expanded.set(term.id, term);
      checkExpansion(patterns.map(([, pattern]) => readable(pattern.text)).join(', '), expanded.size);
    }
    const ids = new Set([
      ...exact.flatMap(([kind, { text }]) => this.found(kind, text)).map(({ id }) => id),
      ...expanded.keys(),
    ]);
    const tests = wildcards.map(([kind, { text }]) => [kind, wildcardTest(text)] as const);
    return {
      value: patterns.map(([, { text }]) => readable(text)).join(', '),
      interpretedAs: 'values',
      ...(wildcards.length > 0 && {
        expansion: {
          indexed: Array.from(expanded.values(), ({ name }) => readable(name)),
          in: (entry) => tests.flatMap(([kind, passes]) => entry.filter(kind, 0, passes).map(readable)),
        },
      }),
      condition: {
        ...listCondition(() => this.reader.postings.union([...ids], [0], this.checkTime)),
        matches: (entry) =>
          exact.some(([kind, { text }]) => entry.has(kind, 0, text)) ||
          tests.some(([kind, passes]) => entry.some(kind, 0, passes)),
      },
    };
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
    const { documents, frequentWords } = this.reader;
    const lists = inFields.map((field) => words.map((word) => this.list(kinds.word, word, field)));
    const pairs = words.slice(1).map((word, at) => [words[at] as string, word] as const);
    const pairsFrom = frequentWords.firstChunkWithPairs(words);
    const pairLists =
      pairsFrom === undefined
        ? []
        : inFields.map((field) => pairs.map(([one, other]) => this.list(kinds.pair, pairOf(one, other), field)));
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

  private window(window: TimeWindow): Condition {
    // A range of ids may contain ids without an entry, which `any` excludes.
    return windowCondition(this.reader, window, this.flag('any'), this.checkTime);
  }

  /** @throws Fault invalid `search.too-many-terms` */
  private matching(kind: Kind, pattern: string): readonly FoundTerm[] {
    return this.expanded(`${kind} ${pattern}`, () => this.reader.dictionary.matching(kind, pattern));
  }

  /**
   * Returns the terms for `key`, looking them up and counting them only once: relevance compiles the same text again for titles.
   * @throws Fault invalid `search.too-many-terms`
   */
  private expanded(key: string, find: () => readonly FoundTerm[]): readonly FoundTerm[] {
    const known = this.expansions.get(key);
    if (known) return known;
    const terms = find();
    this.expansions.set(key, terms);
    this.expandedTerms += terms.length;
    if (this.expandedTerms > maxExpandedTerms) {
      throw new Fault(
        'invalid',
        'search.too-many-terms',
        `The wildcards and fuzzy words of this search together match more than ${maxExpandedTerms} different words. Write more letters of each, or search for fewer at once.`,
      );
    }
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

/** Covers all fields, because the dictionary does not distinguish them. */
function expansionTo(
  terms: readonly FoundTerm[],
  termKinds: readonly Kind[],
  passes: (name: string) => boolean,
): NonNullable<CompiledClause['expansion']> {
  return {
    indexed: terms.map(({ name }) => name),
    in: (entry) =>
      termKinds.flatMap((kind) => Object.values(fields).flatMap((field) => entry.filter(kind, field, passes))),
  };
}
