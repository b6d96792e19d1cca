import { LRUCache } from 'lru-cache';
import { partsOf } from '../../../../../packages/search-language/tokenize.js';
import { decodeEntry } from '../../../../entries/entry-json.js';
import { type SearchableEntry, toSearchable } from '../../../../entries/searchable-entry.js';
import { freeMemory } from '../../../../kernel/free-memory.js';
import { joinPage } from '../../../../search/page-frame.js';
import type { Query } from '../../../../search/query.js';
import type { SearchPage } from '../../../../search/search-index.port.js';
import { type Field, fields, kinds, textsOf } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { newestSequence } from '../../tables/entry-writes.js';
import { decode, idOf, lowsOf } from '../index/containers.js';
import { FrequentWords } from '../index/frequent-words.js';
import { chunkOfKey, postingKey, readState } from '../index/index-database.js';
import { builtAfter, newestRedaction } from '../index/removed-content.js';
import { intersect, phrasePositions } from './conditions.js';
import { byCreation, type DatedEntry } from './dated-entries.js';
import { Dictionary } from './dictionary.js';
import { readDocuments } from './document-batch.js';
import type { PostingList } from './postings.js';
import { type QuickPhrase, quickPhrases } from './quick-phrases.js';

/** Limits for reading the list of a term: rows, and entries per row. */
const maxRows = 32;
const maxRowEntries = 1_024;
/** Maximum total size of the cached lists, and estimated memory of a list in addition to its ids. */
const maxKeptBytes = 4_194_304;
const listOverheadBytes = 300;
/**
 * Maximum number of frequent words that are read, because more would block the event loop. Phrases with other frequent
 * words are found by their words.
 */
const maxFrequentRead = 4_096;
/** Limit for the entries found or scanned. */
const maxEntries = 32;
/** Limits for the total size of the documents that are found, and of those that are scanned. */
const maxBytes = 262_144;
const maxScannedBytes = 65_536;

/** A cached list of the index; undefined: it is too long to be read here. */
interface KnownList {
  readonly list: PostingList | undefined;
}

/** Entries that include every match. */
interface Candidates {
  readonly ids: readonly number[];
  /** Whether every candidate is known to match. */
  readonly areExact: boolean;
  /** Whether scanning the texts of the candidates, without those of files, finds all matches. */
  readonly areInTexts: boolean;
}

/**
 * Answers searches for rare words and phrases, such as a device name, in the calling thread while the index is up to
 * date. Handing such a search to another thread takes longer than the search itself.
 */
export class QuickSearcher {
  private readonly dictionary: Dictionary;
  private readonly frequentWords: FrequentWords;
  private readonly builtAfter: number;
  private readonly lists = new LRUCache<number, KnownList>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ list }) => listOverheadBytes + 2 * (list?.entries ?? 0),
  });
  private generation = -1;
  /** Number of the newest frequent word that was read. */
  private newestFrequent: number | undefined;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
  ) {
    this.dictionary = new Dictionary(index);
    this.frequentWords = new FrequentWords(index);
    this.builtAfter = builtAfter(index);
  }

  /** Returns undefined if another thread must answer the search. */
  search(query: Query): SearchPage | undefined {
    const phrases = quickPhrases(query);
    if (!phrases) return undefined;
    try {
      // The index snapshot begins first, because the documents must not be older than the index.
      this.index.run('BEGIN');
      this.documents.run('BEGIN');
      if (!this.refresh()) return undefined;
      const candidates = this.find(phrases);
      return candidates && this.page(candidates, phrases, query);
    } finally {
      this.documents.rollBack();
      this.index.rollBack();
    }
  }

  /** Updates the caches; returns false while the index lacks writes or may contain redacted content. */
  private refresh(): boolean {
    const { sequence, generation } = readState(this.index);
    if (sequence !== newestSequence(this.documents)) return false;
    if (newestRedaction(this.documents) > this.builtAfter) return false;
    if (generation !== this.generation) {
      this.lists.clear();
      this.refreshFrequentWords();
      this.generation = generation;
    }
    return true;
  }

  /** Reads the frequent words if there are new ones and not too many. */
  private refreshFrequentWords(): void {
    const sql = 'SELECT coalesce(max(number), -1) AS newest FROM frequent_word';
    const newest = this.index.get<{ newest: number }>(sql)?.newest;
    if (newest === undefined || newest >= maxFrequentRead || newest === this.newestFrequent) return;
    this.frequentWords.refresh();
    this.newestFrequent = newest;
  }

  /** Chooses candidates by the lists of the index; undefined if there are too many to read their documents. */
  private find(phrases: readonly QuickPhrase[]): Candidates | undefined {
    let fewest: Candidates | undefined;
    let areInTexts = true;
    for (const phrase of phrases) {
      const candidates = this.candidatesOf(phrase);
      if (candidates?.ids.length === 0) return candidates;
      if (candidates && (!fewest || candidates.ids.length < fewest.ids.length)) fewest = candidates;
      areInTexts &&= candidates?.areInTexts ?? !phrase.inFields.includes(fields.attachment);
    }
    if (!fewest) return undefined;
    if (phrases.length === 1 && fewest.areExact) return fewest;
    return areInTexts ? { ...fewest, areExact: false } : undefined;
  }

  /** Returns the candidates for a phrase; undefined if there are too many. */
  private candidatesOf({ words, inFields }: QuickPhrase): Candidates | undefined {
    const ids = new Set<number>();
    const terms = this.termsOf(words);
    if (!terms) return { ids: [], areExact: true, areInTexts: true };
    let { areExact } = terms;
    let areInTexts = true;
    for (const field of inFields) {
      const known = terms.ids.map((id) => this.list(id, field));
      const short = known.filter((list) => list !== undefined);
      const [first, ...others] = short.sort((one, other) => one.entries - other.entries);
      if (!first) return undefined;
      areExact &&= short.length === known.length;
      for (const [chunk, container] of first.chunks) {
        const common = lowsOf(intersect(others, chunk, container));
        if (ids.size + common.length > maxEntries) return undefined;
        for (const low of common) ids.add(idOf(chunk, low));
        if (field === fields.attachment && common.length > 0) areInTexts = false;
      }
    }
    return { ids: [...ids], areExact, areInTexts };
  }

  /** Returns the terms that every entry with the phrase contains; undefined if one of them does not exist. */
  private termsOf(
    words: readonly string[],
  ): { readonly ids: readonly number[]; readonly areExact: boolean } | undefined {
    const { frequentWords } = this;
    const [first = '', ...more] = words;
    // Pairs are rarer than their words.
    if (more.length > 0 && frequentWords.firstChunkWithPairs(words) === 0) {
      const ids = more.map((word, at) => frequentWords.pairOf(words[at] ?? first, word));
      return { ids, areExact: ids.length === 1 };
    }
    const ids = [...new Set(words)].map((word) => this.dictionary.find(kinds.word, word)?.id);
    return ids.includes(undefined) ? undefined : { ids: ids as number[], areExact: more.length === 0 };
  }

  private list(termId: number, field: Field): PostingList | undefined {
    const key = postingKey(termId, field, 0);
    const known = this.lists.get(key);
    if (known) return known.list;
    const list = this.read(key, postingKey(termId, field + 1, 0) - 1);
    this.lists.set(key, { list });
    return list;
  }

  private read(first: number, last: number): PostingList | undefined {
    // The bytes of a long list are not read.
    const rows = this.index.all<{ key: number; entries: number; ids: Uint8Array | null }>(
      'SELECT key, entries, CASE WHEN entries <= ? THEN ids END AS ids FROM posting WHERE key BETWEEN ? AND ? LIMIT ?',
      maxRowEntries,
      first,
      last,
      maxRows + 1,
    );
    if (rows.length > maxRows || rows.some(({ ids }) => !ids)) return undefined;
    return {
      entries: rows.reduce((sum, row) => sum + row.entries, 0),
      chunks: new Map(rows.map(({ key, ids }) => [chunkOfKey(key), decode(ids as Uint8Array)])),
    };
  }

  /** Reads the candidates and returns the page of those that match; undefined if their documents are too long. */
  private page(
    { ids, areExact }: Candidates,
    phrases: readonly QuickPhrase[],
    { sort, from, size }: Query,
  ): SearchPage | undefined {
    const inOrder = sort === 'oldest' ? byCreation : (one: DatedEntry, other: DatedEntry) => byCreation(other, one);
    const ofPage = <T>(found: readonly T[]) => found.slice(from, from + size);
    // If all candidates match, only the documents of the page are read.
    const dated = areExact && ids.length > size ? this.datedEntries(ids).sort(inOrder) : undefined;
    const read = dated ? ofPage(dated).map(({ id }) => id) : ids;
    const batch = readDocuments(this.documents, read, areExact ? maxBytes : maxScannedBytes);
    if (!batch) return undefined;
    const found = batch.documents.filter(({ document }) => areExact || contains(document, phrases)).sort(inOrder);
    const page = (dated ? found : ofPage(found)).map(({ document }) => document);
    const bytes = page.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const json = joinPage(page, bytes);
    freeMemory(batch.joined);
    return { hitCount: (dated ?? found).length, entries: { kind: 'joined', json } };
  }

  private datedEntries(ids: readonly number[]): DatedEntry[] {
    return this.documents.all<DatedEntry & Record<string, unknown>>(
      'SELECT entry.id AS id, created_ms FROM json_each(?) AS wanted CROSS JOIN entry ON entry.id = wanted.value',
      JSON.stringify(ids),
    );
  }
}

function contains(document: Uint8Array, phrases: readonly QuickPhrase[]): boolean {
  const entry = decodeEntry(Buffer.from(document.buffer, document.byteOffset, document.byteLength));
  return phrases.every(phraseTest(toSearchable(entry, false, () => undefined)));
}

/** Returns a test for whether the entry contains a phrase. Each text is split only once. */
function phraseTest(entry: SearchableEntry): (phrase: QuickPhrase) => boolean {
  const split = new Map<Field, readonly string[][]>();
  const partsIn = (field: Field) => {
    const parts = split.get(field) ?? textsOf(entry, field).map(partsOf);
    split.set(field, parts);
    return parts;
  };
  return ({ words, inFields }) =>
    inFields.some((field) => partsIn(field).some((parts) => phrasePositions(parts, words).length > 0));
}
