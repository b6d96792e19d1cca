import { distance } from 'fastest-levenshtein';
import { Fault } from '../../../../kernel/fault.js';
import type { Query, TextMatch, TimeWindow } from '../../../../search/query.js';
import type { ExplainedPart } from '../../../../search/search-index.port.js';
import { partsOf } from '../../../../search/tokenize.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { type Container, filter, idOf, or } from '../index/containers.js';
import { type Field, type Flag, type FoundTerm, fields, type Kind, kinds, pairOf, textsOf } from '../index/terms.js';
import { type Condition, inAll, listCondition, startsOfRun } from './conditions.js';
import { checkExpansion } from './dictionary.js';
import { attachmentTerm, propertyTerm, readable, type TermPattern } from './facet-terms.js';
import type { IndexReader } from './index-reader.js';
import type { PostingList } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';
import { patternTest } from './wildcard.js';
import { windowCondition } from './window-condition.js';

/** One part of a query as it was understood. */
export interface CompiledClause {
  readonly key: keyof Query;
  /** What was asked for, as it is compared. */
  readonly asked: string;
  readonly interpretedAs: ExplainedPart['interpretedAs'];
  /** What a wildcard or a fuzzy word stands for, in the index and in an entry that the index does not know. */
  readonly expansion?: { readonly indexed: readonly string[]; in(entry: UnindexedEntry): readonly string[] };
  readonly condition: Condition;
  /** The entries that meet it are the ones not to be found. */
  readonly excluded: boolean;
}

type Understood = Pick<CompiledClause, 'asked' | 'interpretedAs' | 'expansion' | 'condition'>;

const fieldsOf = {
  title: [fields.title],
  description: [fields.description],
  attachmentText: [fields.attachment],
  anywhere: Object.values(fields),
  excluded: Object.values(fields),
} satisfies Partial<Record<keyof Query, readonly Field[]>>;

/** What all parts of one search may stand for together: it is to be answered in seconds, and held in memory. */
const maxExpandedTerms = 50_000;

/** Turns the parts of a query into conditions. */
export class QueryCompiler {
  private expandedTerms = 0;
  private readonly expansions = new Map<string, readonly FoundTerm[]>();

  constructor(
    private readonly parts: IndexReader,
    /** Throws when the time is over. */
    private readonly checkTime: () => void,
  ) {}

  read(query: Query): CompiledClause[] {
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
      ...query.traits.map(({ trait, wanted }) => ({
        key: 'traits' as const,
        asked: trait,
        interpretedAs: 'trait' as const,
        condition: this.trait(trait),
        excluded: !wanted,
      })),
      ...(query.window
        ? [
            {
              key: 'window' as const,
              asked: '',
              interpretedAs: 'window' as const,
              condition: this.window(query.window),
              excluded: false,
            },
          ]
        : []),
    ];
  }

  /** Entries for which something holds; `any` holds for all. */
  trait(trait: Flag): Condition {
    return this.term(kinds.trait, trait, [0]);
  }

  /** Entries that have a word, in whatever text, or a value. */
  has(kind: Kind, name: string): Condition {
    return this.term(kind, name, kind === kinds.word ? fieldsOf.anywhere : [0]);
  }

  /** The entries that are not there for who asks. */
  hidden({ hiddenLogbooks }: Query): Condition[] {
    return hiddenLogbooks.map((name) => this.term(kinds.logbook, name, [0]));
  }

  /** That a title has something. */
  inTitle(match: TextMatch): Condition {
    return this.text(match, [fields.title]).condition;
  }

  private text(match: TextMatch, inFields: readonly Field[]): Understood {
    this.checkTime();
    if (match.kind === 'phrase') {
      const [word = '', ...more] = match.words;
      const condition = more.length === 0 ? this.term(kinds.word, word, inFields) : this.phrase(match.words, inFields);
      return { asked: match.words.join(' '), interpretedAs: more.length === 0 ? 'word' : 'phrase', condition };
    }
    if (match.kind === 'fuzzy') {
      const { word, maxDistance } = match;
      const terms = this.expanded(`near ${word}`, () => this.parts.dictionary.near(word, maxDistance));
      const isNear = (name: string) => distance(name, word) <= maxDistance;
      const condition = this.terms([kinds.word], inFields, terms, isNear);
      return { asked: word, interpretedAs: 'fuzzy', expansion: expansionTo(terms, [kinds.word], isNear), condition };
    }
    const { pattern } = match;
    // A name that begins with, ends with or has in it what is part of a word has a word that does.
    const bare = pattern.replace(/^\*|\*$/g, '');
    const ofWords = partsOf(bare);
    const termKinds = ofWords.length === 1 && ofWords[0] === bare ? [kinds.word] : [kinds.word, kinds.name];
    const terms = termKinds.flatMap((kind) => this.matching(kind, pattern));
    const passes = patternTest(pattern);
    const condition = this.terms(termKinds, inFields, terms, passes);
    return {
      asked: pattern,
      interpretedAs: 'wildcard',
      expansion: expansionTo(terms, termKinds, passes),
      condition,
    };
  }

  private facet(patterns: readonly TermPattern[]): Understood {
    const different = new Map(patterns.map((one) => [`${one[0]} ${one[1].text}`, one]));
    const exact = [...different.values()].filter(([, pattern]) => !pattern.hasWildcards);
    const open = [...different.values()].filter(([, pattern]) => pattern.hasWildcards);
    const expanded = new Map<number, FoundTerm>();
    for (const [kind, { text }] of open) {
      this.checkTime();
      for (const term of this.matching(kind, text)) expanded.set(term.id, term);
      checkExpansion(patterns.map(([, pattern]) => readable(pattern.text)).join(', '), expanded.size);
    }
    const ids = new Set([
      ...exact.flatMap(([kind, { text }]) => this.found(kind, text)).map(({ id }) => id),
      ...expanded.keys(),
    ]);
    const tests = open.map(([kind, { text }]) => [kind, patternTest(text)] as const);
    return {
      asked: patterns.map(([, { text }]) => readable(text)).join(', '),
      interpretedAs: 'values',
      ...(open.length > 0 && {
        expansion: {
          indexed: Array.from(expanded.values(), ({ name }) => readable(name)),
          in: (entry) => tests.flatMap(([kind, passes]) => entry.filter(kind, 0, passes).map(readable)),
        },
      }),
      condition: {
        ...listCondition(() => this.parts.postings.union([...ids], [0], this.checkTime)),
        holds: (entry) =>
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
      ...listCondition(() => this.parts.postings.union(ids, inFields, this.checkTime)),
      holds: (entry) => termKinds.some((kind) => inFields.some((field) => entry.some(kind, field, passes))),
    };
  }

  private term(kind: Kind, name: string, inFields: readonly number[]): Condition {
    const condition = this.terms([kind], inFields, this.found(kind, name), () => false);
    return { ...condition, holds: (entry) => inFields.some((field) => entry.has(kind, field, name)) };
  }

  private phrase(words: readonly string[], inFields: readonly Field[]): Condition {
    const { documents, frequentWords } = this.parts;
    const lists = inFields.map((field) => words.map((word) => this.list(kinds.word, word, field)));
    const pairs = words.slice(1).map((word, at) => [words[at] as string, word] as const);
    const pairsFrom = frequentWords.chunkFromWhich(words);
    const pairLists =
      pairsFrom === undefined
        ? []
        : inFields.map((field) => pairs.map(([one, other]) => this.list(kinds.pair, pairOf(one, other), field)));
    const occurs = (texts: readonly string[]) => texts.some((text) => startsOfRun(partsOf(text), words).length > 0);

    const narrow = (chunk: number, entries?: Container): Container => {
      const paired = pairsFrom !== undefined && chunk >= pairsFrom;
      const candidates = or((paired ? pairLists : lists).map((inOne) => inAll(inOne, chunk, entries)));
      if (paired && words.length === 2) return candidates;
      let looked = 0;
      return filter(candidates, (low) => {
        if (looked++ % 256 === 0) this.checkTime();
        const entry = getSearchable(documents, idOf(chunk, low));
        return inFields.some((field) => occurs(textsOf(entry, field)));
      });
    };
    return {
      size: () => lists.reduce((sum, inOne) => sum + Math.min(...inOne.map(({ entries }) => entries)), 0),
      among: (chunk) => narrow(chunk),
      narrow,
      holds: (entry) => inFields.some((field) => occurs(entry.texts(field))),
    };
  }

  private window(window: TimeWindow): Condition {
    // Of a stretch of ids, not each needs to be an entry.
    return windowCondition(this.parts, window, this.trait('any'), this.checkTime);
  }

  /** @throws Fault invalid `search.too-many-terms` */
  private matching(kind: Kind, pattern: string): readonly FoundTerm[] {
    return this.expanded(`${kind} ${pattern}`, () => this.parts.dictionary.matching(kind, pattern));
  }

  /**
   * What is asked for again, as of the titles, is looked for and counted once.
   * @throws Fault invalid `search.too-many-terms`
   */
  private expanded(asked: string, find: () => readonly FoundTerm[]): readonly FoundTerm[] {
    const known = this.expansions.get(asked);
    if (known) return known;
    const terms = find();
    this.expansions.set(asked, terms);
    this.expandedTerms += terms.length;
    if (this.expandedTerms > maxExpandedTerms) {
      throw new Fault(
        'invalid',
        'search.too-many-terms',
        `The wildcards and similar words of this search stand for more than ${maxExpandedTerms} different words together. Write more letters of them, or search for fewer at once.`,
      );
    }
    return terms;
  }

  private found(kind: Kind, name: string): FoundTerm[] {
    const term = this.parts.dictionary.find(kind, name);
    return term ? [term] : [];
  }

  private list(kind: Kind, name: string, field: Field): PostingList {
    return this.parts.postings.union(
      this.found(kind, name).map(({ id }) => id),
      [field],
      this.checkTime,
    );
  }
}

/** Of all that the logbook has, wherever it has it: the dictionary knows no fields. */
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
