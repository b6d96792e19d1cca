import { partsOf } from '../../packages/search-language/tokenize.js';
import { parseQuery } from '../../src/search/parse-query.js';
import type { Query } from '../../src/search/query.js';
import type { SearchParams } from '../../src/search/search-params.js';
import { type Corpus, corpusEndMs, corpusStartMs, meanWords } from './corpus.js';
import { Random } from './random.js';

/** A kind of search. */
export interface SearchRow {
  readonly name: string;
  /** Maximum time, as a multiple of F. */
  readonly aim?: number;
  /** Returns one of the many searches of that kind, as a client would send it. */
  readonly params: (source: QueryGenerator) => SearchParams;
}

const variants = 200;
/** Number of generated searches, of which the distinct ones are used. */
const draws = 20_000;
const maxSkipped = 500;
const dayMs = 86_400_000;

/** Rows in the order in which they run; the names are those of the command line. */
export const searchRows: Readonly<Record<string, SearchRow>> = {
  newest: { name: 'newest page', aim: 1.5, params: () => ({}) },
  rare: { name: 'rare word', aim: 2.5, params: (of) => ({ text: of.rareWord() }) },
  mid: { name: 'word of 1 in 200 entries', aim: 2.5, params: (of) => ({ text: of.midWord() }) },
  common: { name: 'common word', aim: 2.5, params: (of) => ({ text: of.commonWord() }) },
  'two-common': {
    name: 'two common words',
    aim: 4,
    params: (of) => ({ text: of.twoCommonWords() }),
  },
  'common-rare': {
    name: 'common and rare word',
    aim: 4,
    params: (of) => ({ text: `${of.commonWord()} ${of.rareWord()}` }),
  },
  three: {
    name: 'three words',
    aim: 5,
    params: (of) => ({ text: `${of.commonWord()} ${of.midWord()} ${of.commonWord()}` }),
  },
  'word-tag': { name: 'word and tag', aim: 4, params: (of) => ({ text: of.commonWord(), tags: of.tag() }) },
  tag: { name: 'tag', aim: 2.5, params: (of) => ({ tags: of.tag() }) },
  owner: { name: 'owner', aim: 2.5, params: (of) => ({ owner: of.owner() }) },
  level: { name: 'level', aim: 2.5, params: (of) => ({ level: of.level() }) },
  logbook: { name: 'logbook', aim: 2.5, params: (of) => ({ logbooks: of.logbook() }) },
  'four-facets': {
    name: 'tag, logbook, level and owner',
    aim: 4,
    params: (of) => of.facetsOfAnEntry(),
  },
  month: { name: 'month and word', aim: 2, params: (of) => ({ text: of.commonWord(), ...of.window(30, false) }) },
  week: { name: 'week, events too', params: (of) => of.window(7, true) },
  phrase: {
    name: 'phrase of common words',
    aim: 10,
    params: (of) => ({ text: `"${of.twoCommonWords()}"` }),
  },
  'any-phrase': { name: 'phrase of any words', aim: 150, params: (of) => ({ phrase: of.phrase() }) },
  device: { name: 'device name', aim: 150, params: (of) => ({ text: of.deviceName() }) },
  'suffix-10': { name: '*ending, up to 10 words', aim: 4, params: (of) => ({ text: of.family('tenByEnding') }) },
  'suffix-130': { name: '*ending, 130 words', aim: 40, params: (of) => ({ text: of.family('hundredByEnding') }) },
  'suffix-4500': { name: '*ending, 4,500 words', aim: 400, params: (of) => ({ text: of.family('thousands') }) },
  'infix-10': { name: '*middle*, up to 10 words', aim: 4, params: (of) => ({ text: of.family('tenByMiddle') }) },
  'infix-130': { name: '*middle*, 130 words', aim: 40, params: (of) => ({ text: of.family('hundredByMiddle') }) },
  prefix: { name: 'abc*, about 100 words', aim: 40, params: (of) => ({ text: `${of.beginning()}*` }) },
  fuzzy: { name: 'fuzzy word', aim: 12, params: (of) => ({ text: of.misspelt(), fuzzy: '' }) },
  property: { name: 'property value', aim: 2.5, params: (of) => ({ properties: of.propertyValue() }) },
  deep: {
    name: 'common word, from 50,000',
    aim: 4,
    params: (of) => ({ text: of.commonWord(), from: '50000' }),
  },
  anywhere: {
    name: 'two words anywhere',
    aim: 4,
    params: (of) => ({ query: `${of.commonWord()} ${of.midWord()}` }),
  },
};

/** Returns many searches of the kind, the same for the same corpus. */
export function paramsOf(row: SearchRow, corpus: Corpus, count = variants): SearchParams[] {
  const source = new QueryGenerator(corpus, row.name);
  return Array.from({ length: count }, () => row.params(source));
}

/**
 * Returns different searches of the kind by their number, so that a cache answers few. Each time all of them were sent,
 * they skip one match more.
 */
export function distinctParams(row: SearchRow, corpus: Corpus): (index: number) => SearchParams {
  const all = new Map(paramsOf(row, corpus, draws).map((params) => [JSON.stringify(params), params]));
  const different = [...all.values()];
  return (index) => {
    const params = different[index % different.length] ?? {};
    const skipped = Math.floor(index / different.length) % maxSkipped;
    return skipped === 0 ? params : { ...params, from: String(Number(params.from ?? 0) + skipped) };
  };
}

export function queriesOf(row: SearchRow, corpus: Corpus): Query[] {
  return paramsOf(row, corpus).map((params) => parseQuery(params, { nowMs: corpusEndMs, zone: 'UTC' }));
}

/** Search terms of a corpus. Each `name` has random choices of its own. */
class QueryGenerator {
  private readonly random: Random;

  constructor(
    private readonly corpus: Corpus,
    name: string,
  ) {
    const hash = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 0);
    this.random = new Random(corpus.seed, 4, hash);
  }

  /** Returns a word of 20 to 100 entries. */
  rareWord(): string {
    const { entries } = this.corpus;
    return this.word(20 / entries, 100 / entries);
  }

  midWord(): string {
    return this.word(0.003, 0.01);
  }

  /** Returns a word of at least every seventh entry. */
  commonWord(): string {
    return this.word(0.15, 0.99);
  }

  /** Returns two different common words. */
  twoCommonWords(): string {
    const word = this.commonWord();
    for (;;) {
      const other = this.commonWord();
      if (other !== word) return `${word} ${other}`;
    }
  }

  tag(): string {
    return this.random.pick(this.corpus.names.tags);
  }

  owner(): string {
    return this.random.pick(this.corpus.names.owners);
  }

  level(): string {
    return this.random.pick(this.corpus.names.levels);
  }

  logbook(): string {
    return this.random.pick(this.corpus.names.logbooks);
  }

  /** Returns the facets of an entry, which have a match together. */
  facetsOfAnEntry(): SearchParams {
    for (;;) {
      const { tags, logbooks, level, owner } = this.someEntry();
      const [[tag], [logbook]] = [tags, logbooks];
      if (tag && logbook) return { tags: tag.name, logbooks: logbook.name, level, owner };
    }
  }

  window(days: number, events: boolean): SearchParams {
    const start = corpusStartMs + this.random.below(corpusEndMs - corpusStartMs - days * dayMs);
    return { start: String(start), end: String(start + days * dayMs), includeevents: String(events) };
  }

  /** Returns two consecutive words of an entry. */
  phrase(): string {
    const words = partsOf(this.someEntry().description);
    const at = this.random.below(words.length - 1);
    return `${words[at]} ${words[at + 1]}`;
  }

  deviceName(): string {
    for (;;) {
      const [name] = /SR:\S+\}/.exec(this.someEntry().description) ?? [];
      if (name !== undefined) return name;
    }
  }

  propertyValue(): string {
    for (;;) {
      const [property] = this.someEntry().properties;
      const [attribute] = property?.attributes ?? [];
      if (property && attribute) return `${property.name}.${attribute.name}.${attribute.value}`;
    }
  }

  family(name: keyof Corpus['vocabulary']['families']): string {
    return this.random.pick(this.corpus.vocabulary.families[name]);
  }

  /** Returns the first three letters of a word. */
  beginning(): string {
    const { words } = this.corpus.vocabulary;
    for (;;) {
      const [beginning] = /^[a-z]{3}/.exec(this.random.pick(words)) ?? [];
      if (beginning !== undefined) return beginning;
    }
  }

  /** Returns a word with one wrong letter. */
  misspelt(): string {
    for (;;) {
      const word = this.word(0.0005, 0.005);
      if (word.length < 6) continue;
      const at = this.random.between(1, word.length - 1);
      return `${word.slice(0, at)}q${word.slice(at + 1)}`;
    }
  }

  private word(least: number, most: number): string {
    return this.corpus.vocabulary.wordBetween(this.random, meanWords, least, most);
  }

  private someEntry() {
    return this.corpus.entry(this.random.below(this.corpus.entries)).content;
  }
}
