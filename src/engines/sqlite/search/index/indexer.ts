import type { Connection } from '../../database/connection.js';
import { getSearchable, listArchivedFrom, listIds, listWritesAfter, newestRunId } from '../../tables/entry-writes.js';
import { chunkOf, chunkSize } from './containers.js';
import { chunksToLearnFrom, FrequentWords } from './frequent-words.js';
import { maxIndexedId, readState } from './index-database.js';
import { PostingBatch } from './posting-batch.js';
import { TermIds } from './term-ids.js';
import { forEachTerm, kinds, type SearchableEntry, wordsOfPair } from './terms.js';
import { type FindKnown, forEachTermWithin, noNewTerms, vocabularyLimit } from './vocabulary-limit.js';

/** How many entries one transaction indexes: enough to make rewriting long lists worthwhile, and bounded by memory. */
const batchEntries = 16_384;

/** A batch with this much text is full: long entries must not wait in one transaction of minutes. */
const fullTextChars = 33_554_432;

/** The space reserved in the index and its write-ahead log for one entry, and for each term of a long entry. */
export const entryBytes = 65_536;
const termBytes = 512;

export interface IndexProgress {
  /** The sequence number of the newest indexed write. */
  readonly sequence: number;
  /** Whether there may be more to index. */
  readonly more: boolean;
  /** The entries that had too many new terms. */
  readonly limited: readonly LimitedEntry[];
}

/** An entry some of whose words are not indexed. */
export interface LimitedEntry {
  readonly entryId: number;
  /** How many of its terms. */
  readonly omitted: number;
}

/**
 * Updates the index from the documents. Each batch takes the index from one write to a later one, in one transaction.
 * Searches read the writes that are not indexed yet from the documents.
 */
export class Indexer {
  private readonly frequentWords: FrequentWords;
  private readonly termIds: TermIds;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
  ) {
    this.frequentWords = new FrequentWords(index);
    this.termIds = new TermIds(index);
  }

  /**
   * Indexes the next batch.
   * @param maxGrowthBytes how many bytes the index may grow by, at least `entryBytes`
   * @param checkStop called between entries; throws to cancel the batch
   */
  indexNext(maxGrowthBytes: number, checkStop: () => void): IndexProgress {
    try {
      this.index.exec('BEGIN IMMEDIATE');
      this.documents.exec('BEGIN');
      const progress = this.indexBatch(maxGrowthBytes, checkStop);
      this.index.exec('COMMIT');
      return progress;
    } catch (error) {
      this.termIds.forget();
      this.index.rollBack();
      throw error;
    } finally {
      this.documents.rollBack();
    }
  }

  private indexBatch(maxGrowthBytes: number, checkStop: () => void): IndexProgress {
    const { sequence, generation, newestId } = readState(this.index);
    const written = listWritesAfter(this.documents, sequence, batchEntries);
    if (written.length === 0) return { sequence, more: false, limited: [] };
    this.frequentWords.refresh();
    this.termIds.begin();
    const batch = new PostingBatch(this.index, this.termIds, newestId);
    const chunks = new Set<number>();
    let newest = newestId;
    let last = sequence;
    let remainingBytes = maxGrowthBytes;
    let textChars = 0;
    const limited: LimitedEntry[] = [];
    for (const one of written) {
      checkStop();
      const sizeBefore = batch.size;
      if (one.id > maxIndexedId) throw new Error(`entry id ${one.id} exceeds the limit of the search index`);
      const searchable = getSearchable(this.documents, one.id);
      const omitted = this.add(batch, searchable, one.version, newestId);
      if (omitted > 0) limited.push({ entryId: one.id, omitted });
      chunks.add(chunkOf(one.id));
      newest = Math.max(newest, one.id);
      last = one.sequence;
      remainingBytes -= Math.max(entryBytes, (batch.size - sizeBefore) * termBytes);
      textChars += searchable.view.source.length + sum(searchable.attachmentTexts.map(({ length }) => length));
      if (batch.isFull || textChars >= fullTextChars || remainingBytes < entryBytes) break;
    }
    batch.write();
    for (const chunk of this.learnFrequentWords(newestId, newest, checkStop)) chunks.add(chunk);
    this.termIds.addTrigrams();
    for (const chunk of chunks) {
      this.index.run('INSERT OR REPLACE INTO chunk (chunk, generation) VALUES (?, ?)', chunk, generation + 1);
    }
    this.index.run(
      'UPDATE state SET start_id = ?, sequence = ?, generation = generation + 1, newest_id = ?',
      newestRunId(this.documents),
      last,
      newest,
    );
    const more = last < (written.at(-1)?.sequence ?? 0) || written.length === batchEntries;
    return { sequence: last, more, limited };
  }

  /** Finds new frequent words and adds their pairs to the entries that lack them. Returns the chunks that changed. */
  private learnFrequentWords(newestBefore: number, newest: number, checkStop: () => void): ReadonlySet<number> {
    const changed = new Set<number>();
    for (const chunk of chunksToLearnFrom(newestBefore, newest)) {
      const learned = this.frequentWords.learn(chunk, Math.min(chunkSize, newest + 1 - chunk * chunkSize));
      if (learned.size === 0) continue;
      // Entries of later chunks in this batch lack the pairs as well.
      for (let lacking = chunk; lacking <= chunkOf(newest); lacking++) {
        this.addPairs(lacking, learned, newest, checkStop);
        changed.add(lacking);
      }
    }
    return changed;
  }

  /** Returns how many terms of the entry are not indexed, because it has too many new ones. */
  private add(batch: PostingBatch, entry: SearchableEntry, version: number, newestId: number): number {
    const { id, view } = entry;
    const isFrequent = (word: string) => this.frequentWords.has(word, chunkOf(id));
    const findKnown: FindKnown = (kind, names) => this.termIds.findKnown(kind, names);
    const omitted = forEachTermWithin(vocabularyLimit, entry, isFrequent, findKnown, (kind, field, name, label) =>
      batch.gain(id, kind, field, name, label),
    );
    const instants = new Set(view.events.map(({ instant }) => instant));
    for (const earlier of id > newestId ? [] : this.indexedVersions(id, version)) {
      forEachTermWithin(noNewTerms, earlier, isFrequent, findKnown, (kind, field, name, label) =>
        batch.lose(id, kind, field, name, label),
      );
      for (const { instant } of earlier.view.events) {
        if (!instants.has(instant)) {
          this.index.run('DELETE FROM event WHERE instant_ms = ? AND entry_id = ?', instant, id);
        }
      }
    }
    for (const instant of instants) {
      this.index.run('INSERT OR IGNORE INTO event (instant_ms, entry_id) VALUES (?, ?)', instant, id);
    }
    if (version > 1) {
      this.index.run('INSERT OR REPLACE INTO indexed_version (entry_id, version) VALUES (?, ?)', id, version);
    }
    return omitted;
  }

  /** Adds the pairs with newly frequent words to the entries of a chunk. */
  private addPairs(chunk: number, learned: ReadonlySet<string>, newestId: number, checkStop: () => void): void {
    const first = chunk * chunkSize;
    const last = Math.min(first + chunkSize - 1, newestId);
    let batch = new PostingBatch(this.index, this.termIds, newestId);
    const isFrequent = (word: string) => this.frequentWords.has(word, chunk);
    for (const id of listIds(this.documents, first, last)) {
      checkStop();
      if (batch.isFull) {
        batch.write();
        batch = new PostingBatch(this.index, this.termIds, newestId);
      }
      forEachTerm(getSearchable(this.documents, id), isFrequent, (kind, field, name, label) => {
        if (kind === kinds.pair && wordsOfPair(name).some((word) => learned.has(word))) {
          batch.gain(id, kind, field, name, label);
        }
      });
    }
    batch.write();
  }

  /**
   * Lists the versions of an entry whose terms the index may contain: the archived versions since the indexed one. The
   * indexed version itself may be missing, when it was annotated later; but an annotation never removes anything.
   */
  private indexedVersions(id: number, version: number): SearchableEntry[] {
    if (version === 1) return [];
    const row = this.index.get<{ version: number }>('SELECT version FROM indexed_version WHERE entry_id = ?', id);
    return listArchivedFrom(this.documents, id, row?.version ?? 1);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
