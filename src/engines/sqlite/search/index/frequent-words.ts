import type { Connection } from '../../database/connection.js';
import { chunkSize } from './containers.js';
import { chunkOfKey, longList, termOfKey } from './index-database.js';
import { kinds } from './terms.js';

/** A word is frequent when this share of the entries in the first chunk has it in one field, or twice that in a later chunk. */
const frequentShare = 0.005;
/** With fewer entries than this, no word is frequent yet. */
const minEntries = 1_024;

/**
 * The frequent words. Two of them side by side are a term of their own, a pair, so that a phrase of frequent words is
 * found without reading the many entries that contain both. A word that is frequent from some chunk on has its pairs
 * in that whole chunk and in all later ones.
 */
export class FrequentWords {
  private fromChunk = new Map<string, number>();

  constructor(private readonly index: Connection) {}

  /** Must be called at the start of each transaction in which the words may have changed. */
  refresh(): void {
    const rows = this.index.all<{ word: string; from_chunk: number }>('SELECT word, from_chunk FROM frequent_word');
    this.fromChunk = new Map(rows.map((row) => [row.word, row.from_chunk]));
  }

  /** Returns whether pairs with this word are terms in a chunk. */
  has(word: string, chunk: number): boolean {
    return (this.fromChunk.get(word) ?? Number.POSITIVE_INFINITY) <= chunk;
  }

  /** Returns the first chunk with the pairs of all these words; undefined when one of them is not frequent. */
  firstChunkWithPairs(words: readonly string[]): number | undefined {
    const from = Math.max(...words.map((word) => this.fromChunk.get(word) ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(from) ? from : undefined;
  }

  /** Records the words that have become frequent in a chunk. Returns them; the chunk still lacks their pairs. */
  learn(chunk: number, entriesInChunk: number): ReadonlySet<string> {
    const atLeast = Math.ceil(entriesInChunk * frequentShare) * (chunk === 0 ? 1 : 2);
    // Redundant, but lets SQLite use the partial index of the long lists.
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
 * Lists the chunks to check for new frequent words when the newest id in the index changes from one to another: the
 * first chunk each time it has doubled, every other chunk when it is full.
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
