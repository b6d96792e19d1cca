import { type FoundTerm, kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { findNear, type SortedWords, sortedWords, WordCollector } from './sorted-words.js';

/** Maximum number of recent words; above it, all words are read again. */
const maxRecent = 4_096;
/** Maximum number of words joined by one statement. */
const batchSize = 16_384;

/** Words of an index up to a term id. */
export interface AllWords {
  readonly newestId: number;
  /** Words grouped by their number of digits. */
  readonly groups: readonly SortedWords[];
}

/** Store of the words of one index, shared by all threads that search it. */
export interface WordStore {
  /**
   * Returns words newer than `known`, from another thread that has read or is reading them, or else from `read`.
   * @param known undefined: none
   * @param read calls its argument repeatedly while it works
   */
  renew(known: AllWords | undefined, read: (onProgress: () => void) => AllWords): AllWords;
}

/**
 * Finds words with a similar spelling. Words are grouped by their number of digits, which one edit changes by at most
 * one. Ordinary words are thus not compared with numbers and parts of ids.
 */
export class Vocabulary {
  private all: AllWords | undefined;
  /** Words added since `all` was read: comparing them separately costs less than reading all words again. */
  private recent: readonly FoundTerm[] = [];
  private recentWords = sortedWords([]);
  private newestId = 0;

  constructor(
    private readonly connection: Connection,
    private readonly store: WordStore = ofOneThread,
  ) {}

  /** Returns the words within a Levenshtein distance. */
  near(word: string, maxDistance: number): FoundTerm[] {
    const { groups } = this.refreshed();
    const found: FoundTerm[] = [];
    const digits = digitsIn(word);
    const similar = groups.slice(Math.max(0, digits - maxDistance), digits + maxDistance + 1);
    for (const words of [...similar, this.recentWords]) findNear(words, word, maxDistance, found);
    return found;
  }

  private refreshed(): AllWords {
    const newestId = this.connection.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM term')?.id ?? 0;
    if (this.all && newestId <= this.newestId) return this.all;
    const added = this.all ? this.wordsAfter(this.newestId) : [];
    if (this.all && this.recent.length + added.length <= maxRecent) {
      this.newestId = newestId;
      if (added.length === 0) return this.all;
      this.recent = [...this.recent, ...added];
      this.recentWords = sortedWords(this.recent);
      return this.all;
    }
    this.use(this.store.renew(this.all, (onProgress) => this.readAll(newestId, onProgress)));
    // The words read by another thread may be older than this thread's snapshot.
    return this.refreshed();
  }

  private use(all: AllWords): void {
    this.all = all;
    // The words may come from a thread with a later snapshot.
    this.newestId = Math.max(this.newestId, all.newestId);
    this.recent = this.recent.filter(({ id }) => id > all.newestId);
    this.recentWords = sortedWords(this.recent);
  }

  private wordsAfter(id: number): FoundTerm[] {
    return this.connection.all<{ id: number; name: string }>(
      'SELECT id, name FROM term WHERE id > ? AND kind = ? LIMIT ?',
      id,
      kinds.word,
      maxRecent + 1,
    );
  }

  private readAll(newestId: number, onProgress: () => void): AllWords {
    const groups: WordCollector[] = [];
    for (const batch of this.batches(newestId)) {
      for (const { id, name } of batch) {
        const digits = digitsIn(name);
        while (groups.length <= digits) groups.push(new WordCollector());
        groups[digits]?.add(id, name);
      }
      onProgress();
    }
    return { newestId, groups: groups.map((words) => words.collected()) };
  }

  /**
   * Yields the words in index order. SQLite joins them, because half a million rows would take several times as long.
   */
  private *batches(newestId: number): Generator<FoundTerm[]> {
    for (let last = ''; ; ) {
      const row = this.connection.get<{ ids: string | null; names: string | null }>(
        `SELECT group_concat(id, ' ') AS ids, group_concat(name, ' ') AS names
         FROM (SELECT id, name FROM term WHERE kind = ? AND name > ? AND id <= ? ORDER BY name LIMIT ?)`,
        kinds.word,
        last,
        newestId,
        batchSize,
      );
      if (!row?.ids || !row.names) return;
      const ids = row.ids.split(' ');
      // Words contain no spaces.
      const words = row.names.split(' ').map((name, at) => ({ id: Number(ids[at]), name }));
      yield words;
      last = words.at(-1)?.name ?? '';
      if (words.length < batchSize) return;
    }
  }
}

const ofOneThread: WordStore = { renew: (_known, read) => read(() => undefined) };

function digitsIn(word: string): number {
  let digits = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code >= 48 && code <= 57) digits += 1;
  }
  return digits;
}
