import { distance } from 'fastest-levenshtein';
import type {
  AttachmentFilter,
  Pattern,
  PropertyPattern,
  Query,
  TextMatch,
  TimeWindow,
} from '../../../search/query.js';
import type { ExplainedPart } from '../../../search/search-index.port.js';
import { partsOf } from '../../../search/words.js';
import type { Connection } from '../database.js';
import { getSearchable } from '../entry-log.js';
import { type Condition, inAll, startsOfRun } from './conditions.js';
import { and, type Container, empty, filter, idOf, or } from './containers.js';
import { type CreationOrder, setOf } from './creation-order.js';
import { checkExpansion, type Dictionary } from './dictionary.js';
import { splitWindow } from './event-times.js';
import type { FrequentWords } from './frequent-words.js';
import type { FreshEntry } from './fresh-entries.js';
import { patternTest } from './pattern.js';
import type { PostingList, Postings } from './postings.js';
import {
  type Field,
  type FoundTerm,
  fields,
  type Kind,
  kinds,
  pairOf,
  separator,
  type Trait,
  textsOf,
} from './terms.js';

/** One part of a query as it was understood. */
export interface ReadPart {
  readonly key: keyof Query;
  /** What was asked for, as it is compared. */
  readonly asked: string;
  readonly readAs: ExplainedPart['readAs'];
  /** What a wildcard or a fuzzy word stands for, in the index and in an entry that the index does not know. */
  readonly expansion?: { readonly indexed: readonly string[]; in(entry: FreshEntry): readonly string[] };
  readonly condition: Condition;
  /** The entries that meet it are the ones not to be found. */
  readonly excluded: boolean;
}

export interface IndexParts {
  readonly index: Connection;
  readonly documents: Connection;
  readonly postings: Postings;
  readonly dictionary: Dictionary;
  readonly frequentWords: FrequentWords;
  readonly order: CreationOrder;
}

type Understood = Pick<ReadPart, 'asked' | 'readAs' | 'expansion' | 'condition'>;

/** A term of some kind; with wildcards any that matches. */
type TermPattern = readonly [kind: Kind, pattern: Pattern];

const fieldsOf = {
  title: [fields.title],
  description: [fields.description],
  attachmentText: [fields.attachment],
  anywhere: Object.values(fields),
  excluded: Object.values(fields),
} satisfies Partial<Record<keyof Query, readonly Field[]>>;

/** Turns the parts of a query into conditions. */
export class QueryReader {
  constructor(
    private readonly parts: IndexParts,
    /** Throws when the time is over. */
    private readonly checkTime: () => void,
  ) {}

  read(query: Query): ReadPart[] {
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
        readAs: 'trait' as const,
        condition: this.trait(trait),
        excluded: !wanted,
      })),
      ...(query.window
        ? [
            {
              key: 'window' as const,
              asked: '',
              readAs: 'window' as const,
              condition: this.window(query.window),
              excluded: false,
            },
          ]
        : []),
    ];
  }

  /** Entries for which something holds; `any` holds for all. */
  trait(trait: Trait): Condition {
    return this.term(kinds.trait, trait, [0]);
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
      return { asked: match.words.join(' '), readAs: more.length === 0 ? 'word' : 'phrase', condition };
    }
    if (match.kind === 'fuzzy') {
      const { word, maxDistance } = match;
      const terms = this.parts.dictionary.near(word, maxDistance);
      const isNear = (name: string) => distance(name, word) <= maxDistance;
      const condition = this.terms([kinds.word], inFields, terms, isNear);
      return { asked: word, readAs: 'fuzzy', expansion: expansionTo(terms, [kinds.word], isNear), condition };
    }
    const { pattern } = match;
    // A name that begins with, ends with or has in it what is part of a word has a word that does.
    const bare = pattern.replace(/^\*|\*$/g, '');
    const ofWords = partsOf(bare);
    const termKinds = ofWords.length === 1 && ofWords[0] === bare ? [kinds.word] : [kinds.word, kinds.name];
    const terms = termKinds.flatMap((kind) => this.parts.dictionary.matching(kind, pattern));
    const passes = patternTest(pattern);
    const condition = this.terms(termKinds, inFields, terms, passes);
    return {
      asked: pattern,
      readAs: 'wildcard',
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
      for (const term of this.parts.dictionary.matching(kind, text)) expanded.set(term.id, term);
      checkExpansion(patterns.map(([, pattern]) => readable(pattern.text)).join(', '), expanded.size);
    }
    const ids = new Set([
      ...exact.flatMap(([kind, { text }]) => this.found(kind, text)).map(({ id }) => id),
      ...expanded.keys(),
    ]);
    const tests = open.map(([kind, { text }]) => [kind, patternTest(text)] as const);
    const { entries, chunks } = this.parts.postings.union([...ids], [0], this.checkTime);
    return {
      asked: patterns.map(([, { text }]) => readable(text)).join(', '),
      readAs: 'values',
      ...(open.length > 0 && {
        expansion: {
          indexed: Array.from(expanded.values(), ({ name }) => readable(name)),
          in: (entry) => tests.flatMap(([kind, passes]) => entry.filter(kind, 0, passes).map(readable)),
        },
      }),
      condition: {
        size: entries,
        among: (chunk) => chunks.get(chunk) ?? empty,
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
    const { entries, chunks } = this.parts.postings.union(ids, inFields, this.checkTime);
    return {
      size: entries,
      among: (chunk) => chunks.get(chunk) ?? empty,
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
      size: lists.reduce((sum, inOne) => sum + Math.min(...inOne.map(({ entries }) => entries)), 0),
      among: (chunk) => narrow(chunk),
      narrow,
      holds: (entry) => inFields.some((field) => occurs(entry.texts(field))),
    };
  }

  private window({
    startMs = Number.MIN_SAFE_INTEGER,
    endMs = Number.MAX_SAFE_INTEGER,
    includeEvents,
  }: TimeWindow): Condition {
    const { index, postings, dictionary, order } = this.parts;
    // Of a stretch of ids, not each needs to be an entry.
    const existing = this.trait('any');
    const inWindow = order.createdIn(startMs, endMs);
    const created = (chunk: number) => and(inWindow(chunk), existing.among(chunk));
    const isIn = (ms: number) => ms >= startMs && ms <= endMs;
    // Before all other conditions: outside of the window there is nothing to look at.
    if (!includeEvents) return { size: 0, among: created, holds: ({ entry }) => isIn(entry.view.createdDate) };
    const bounds = index.get<{ first: number | null; last: number | null }>(
      'SELECT (SELECT min(instant_ms) FROM event) AS first, (SELECT max(instant_ms) FROM event) AS last',
    );
    const { buckets, edges } = splitWindow(
      Math.max(startMs, bounds?.first ?? 0),
      Math.min(endMs, bounds?.last ?? -1),
      () => dictionary.list(kinds.event).map(({ name }) => name),
    );
    const inBuckets = postings.union(
      buckets.flatMap((name) => dictionary.find(kinds.event, name)?.id ?? []),
      [0],
      this.checkTime,
    );
    const atEdges = edges.flatMap(([from, to]) =>
      index
        .all<{ entry_id: number }>('SELECT entry_id FROM event WHERE instant_ms BETWEEN ? AND ?', from, to)
        .map((row) => row.entry_id),
    );
    const atEdgesByChunk = setOf([...new Set(atEdges)]).chunks;
    return {
      size: 0,
      among: (chunk) => or([created(chunk), inBuckets.chunks.get(chunk) ?? empty, atEdgesByChunk[chunk] ?? empty]),
      holds: ({ entry: { view } }) => isIn(view.createdDate) || view.events.some(({ instant }) => isIn(instant)),
    };
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

function propertyTerm({ name, attribute, value }: PropertyPattern): TermPattern {
  // A star alone asks for nothing.
  const [ofName, ofAttribute, ofValue] = [name, attribute, value].map((part) =>
    part?.text === '*' ? undefined : part,
  );
  const any: Pattern = { text: '*', hasWildcards: true };
  const path = (...parts: (Pattern | undefined)[]): Pattern => ({
    text: parts.map((part) => (part ?? any).text).join(separator),
    hasWildcards: parts.some((part) => (part ?? any).hasWildcards),
  });
  if (ofValue) return [kinds.attributeValue, path(ofName, ofAttribute, ofValue)];
  if (ofAttribute) return [kinds.attribute, path(ofName, ofAttribute)];
  return [kinds.property, path(ofName)];
}

function attachmentTerm(attachments: AttachmentFilter): TermPattern {
  if (attachments.kind === 'filename') return [kinds.filename, attachments.pattern];
  if (attachments.kind === 'media') return [kinds.media, { text: attachments.media, hasWildcards: false }];
  return [kinds.trait, { text: 'attachment', hasWildcards: false }];
}

/** Of all that the logbook has, wherever it has it: the dictionary knows no fields. */
function expansionTo(
  terms: readonly FoundTerm[],
  termKinds: readonly Kind[],
  passes: (name: string) => boolean,
): NonNullable<ReadPart['expansion']> {
  return {
    indexed: terms.map(({ name }) => name),
    in: (entry) =>
      termKinds.flatMap((kind) => Object.values(fields).flatMap((field) => entry.filter(kind, field, passes))),
  };
}

/** As a property is written in a query. */
function readable(name: string): string {
  return name.replaceAll(separator, '.');
}
