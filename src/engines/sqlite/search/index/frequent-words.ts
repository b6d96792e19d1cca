import type { Connection } from '../../database/connection.js';
import { chunkSize } from './containers.js';
import { chunkOfKey, longList, termOfKey } from './index-database.js';
import { kinds } from './terms.js';

/** A word that stands in one text of so many of the entries of the first chunk, or twice as many of a later one. */
const frequentShare = 0.005;
/** With fewer entries, nothing is frequent yet. */
const minEntries = 1_024;

/**
 * Words of which the index has pairs: two of them side by side are a term, so that a phrase of frequent words is found
 * without reading the many entries that have both. A word that is frequent from some chunk on has its pairs in all of
 * that chunk and in those after it.
 */
export class FrequentWords {
  private fromChunk = new Map<string, number>();

  constructor(private readonly index: Connection) {}

  /** To be called at the start of each transaction in which the words may have changed. */
  refresh(): void {
    const rows = this.index.all<{ word: string; from_chunk: number }>('SELECT word, from_chunk FROM frequent_word');
    this.fromChunk = new Map(rows.map((row) => [row.word, row.from_chunk]));
  }

  /** Whether pairs of the word are terms of the entries of a chunk. */
  has(word: string, chunk: number): boolean {
    return (this.fromChunk.get(word) ?? Number.POSITIVE_INFINITY) <= chunk;
  }

  /** The first chunk that has the pairs of all these words; undefined when one of them is not frequent. */
  chunkFromWhich(words: readonly string[]): number | undefined {
    const from = Math.max(...words.map((word) => this.fromChunk.get(word) ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(from) ? from : undefined;
  }

  /** Makes the words of a chunk frequent that have become so. @returns those: the chunk lacks their pairs */
  learn(chunk: number, entriesInChunk: number): ReadonlySet<string> {
    const atLeast = Math.ceil(entriesInChunk * frequentShare) * (chunk === 0 ? 1 : 2);
    // Said twice, so that SQLite uses the index of the long lists where it can.
    const long = atLeast >= longList ? ` AND entries >= ${longList}` : '';
    const keys = this.index.all<{ key: number }>(`SELECT key FROM posting WHERE entries >= ?${long}`, atLeast);
    const learned = new Set<string>();
    for (const { key } of keys) {
      if (chunkOfKey(key) !== chunk) continue;
      const term = this.index.get<{ name: string; kind: number }>(
        'SELECT name, kind FROM term WHERE id = ?',
        termOfKey(key),
      );
      if (term?.kind !== kinds.word || this.has(term.name, chunk)) continue;
      this.index.run('INSERT INTO frequent_word (word, from_chunk) VALUES (?, ?)', term.name, chunk);
      this.fromChunk.set(term.name, chunk);
      learned.add(term.name);
    }
    return learned;
  }
}

/**
 * The chunks in which to look for frequent words when the newest entry of the index goes from one id to another: the
 * first chunk each time it has doubled, every other one when it is full.
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
