import { fieldCount, kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { type Container, chunkSize, decode, or } from './containers.js';
import { chunkOfKey, longList, maxFrequentWords, pairId, postingKey, termOfKey } from './index-database.js';

/**
 * Share of the entries in the first chunk that must contain a word in one field for it to be frequent; twice this share
 * in later chunks.
 */
const frequentShare = 0.005;
/** Number of entries below which no word is frequent yet. */
const minEntries = 1_024;

interface FrequentWord {
  readonly number: number;
  readonly fromChunk: number;
}

/** Frequent words by name, in a form that can be sent to another thread. */
export type FrequentWordTable = ReadonlyMap<string, FrequentWord>;

/** Returns the number of a word whose pairs are terms in a chunk; undefined for other words. */
export function numberOfFrequent(words: FrequentWordTable, chunk: number, word: string): number | undefined {
  const found = words.get(word);
  return found && found.fromChunk <= chunk ? found.number : undefined;
}

/** Words that have become frequent in one chunk. */
export interface LearnedWords {
  readonly termIds: readonly number[];
  readonly numbers: ReadonlySet<number>;
}

/**
 * Frequent words. Two adjacent ones form a term, called a pair, so that a phrase of frequent words is found without
 * reading the many entries that contain both. A word that became frequent in a chunk has pairs in all entries of that
 * chunk and of later ones.
 */
export class FrequentWords {
  private words = new Map<string, FrequentWord>();

  constructor(private readonly index: Connection) {}

  /** Must be called at the start of each transaction in which the words may have changed. */
  refresh(): void {
    const rows = this.index.all<{ number: number; word: string; from_chunk: number }>('SELECT * FROM frequent_word');
    this.words = new Map(rows.map((row) => [row.word, { number: row.number, fromChunk: row.from_chunk }]));
  }

  /** Table of frequent words; each refresh replaces the object. */
  get table(): FrequentWordTable {
    return this.words;
  }

  /** Looks up a word with `numberOfFrequent`. */
  numberIn(chunk: number, word: string): number | undefined {
    return numberOfFrequent(this.words, chunk, word);
  }

  /** Lists the frequent words with a prefix. */
  startingWith(prefix: string): string[] {
    return [...this.words.keys()].filter((word) => word.startsWith(prefix));
  }

  /** Returns the first chunk with pairs of all these words; undefined if one of them is not frequent. */
  firstChunkWithPairs(words: readonly string[]): number | undefined {
    const from = Math.max(...words.map((word) => this.words.get(word)?.fromChunk ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(from) ? from : undefined;
  }

  /** Returns the term id of a pair. Both words must be frequent. */
  pairOf(first: string, second: string): number {
    const [one, other] = [this.words.get(first), this.words.get(second)];
    if (!one || !other) throw new Error(`“${first} ${second}” is not a pair of frequent words`);
    return pairId(one.number, other.number);
  }

  /** Records and returns the words that have become frequent in a chunk. The chunk still lacks their pairs. */
  learn(chunk: number, entriesInChunk: number): LearnedWords {
    const atLeast = Math.ceil(entriesInChunk * frequentShare) * (chunk === 0 ? 1 : 2);
    // This condition is redundant, but lets SQLite use the partial index of the long lists.
    const long = atLeast >= longList ? ` AND entries >= ${longList}` : '';
    const keys = this.index.all<{ key: number }>(`SELECT key FROM posting WHERE entries >= ?${long}`, atLeast);
    const numbers = new Set<number>();
    const termIds: number[] = [];
    for (const { key } of keys) {
      if (chunkOfKey(key) !== chunk || this.words.size === maxFrequentWords) continue;
      const id = termOfKey(key);
      const term = this.index.get<{ name: string; kind: number }>('SELECT name, kind FROM term WHERE id = ?', id);
      if (term?.kind !== kinds.word || this.words.has(term.name)) continue;
      const number = this.words.size;
      this.index.run('INSERT INTO frequent_word VALUES (?, ?, ?)', number, term.name, chunk);
      this.words.set(term.name, { number, fromChunk: chunk });
      numbers.add(number);
      termIds.push(id);
    }
    return { termIds, numbers };
  }

  /** Returns the entries of a chunk that contain any of the words. */
  entriesWith({ termIds }: LearnedWords, chunk: number): Container {
    const lists: Container[] = [];
    for (const id of termIds) {
      for (let field = 0; field < fieldCount; field++) {
        const row = this.index.get<{ ids: Uint8Array }>(
          'SELECT ids FROM posting WHERE key = ?',
          postingKey(id, field, chunk),
        );
        if (row) lists.push(decode(row.ids));
      }
    }
    return or(lists);
  }
}

/**
 * Lists the chunks to check for new frequent words when the newest indexed id advances. The first chunk is checked each
 * time it has doubled, any other chunk when it is full.
 */
export function chunksToLearnFrom(newestBefore: number, newest: number): number[] {
  const chunks: number[] = [];
  for (let size = minEntries; size <= chunkSize; size *= 2) {
    if (newestBefore < size - 1 && newest >= size - 1) chunks[0] = 0;
  }
  for (
    let chunk = Math.max(1, Math.floor((newestBefore + 1) / chunkSize));
    (chunk + 1) * chunkSize - 1 <= newest;
    chunk++
  ) {
    chunks.push(chunk);
  }
  return chunks;
}
