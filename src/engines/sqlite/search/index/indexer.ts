import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import type { Connection } from '../../database/connection.js';
import {
  getSearchable,
  listArchivedFrom,
  listWritesAfter,
  newestRunId,
  newestSequence,
} from '../../tables/entry-writes.js';
import { chunkOf, chunkSize, idOf, lowsOf } from './containers.js';
import { chunksToLearnFrom, FrequentWords, type LearnedWords } from './frequent-words.js';
import { type IndexState, maxIndexedId, readState } from './index-database.js';
import { PostingBatch } from './posting-batch.js';
import { TermIds } from './term-ids.js';
import { forEachPair } from './terms.js';
import { type FindKnown, forEachTermWithin, noNewTerms, vocabularyLimit } from './vocabulary-limit.js';

/**
 * How many entries one transaction indexes. A batch writes most pages of the index, so few large batches write much
 * less than many small ones; their size is bounded by memory.
 */
const batchEntries = 65_536;
/** How many entries are read in one snapshot of the documents: a long one would keep their write-ahead log growing. */
const blockEntries = 1_024;

/** A batch with this much text is full: long entries must not wait in one transaction of minutes. */
const fullTextChars = 50_331_648;

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
      const progress = this.indexBatch(maxGrowthBytes, checkStop);
      this.index.exec('COMMIT');
      return progress;
    } catch (error) {
      this.index.rollBack();
      throw error;
    }
  }

  private indexBatch(maxGrowthBytes: number, checkStop: () => void): IndexProgress {
    const { sequence, generation, newestId } = readState(this.index);
    this.frequentWords.refresh();
    this.termIds.begin();
    const batch = new PostingBatch(this.index, this.termIds, newestId);
    const collected = this.collect(batch, { sequence, newestId }, maxGrowthBytes, checkStop);
    const { sequence: last, newest, chunks, more, limited } = collected;
    if (last === sequence) return { sequence, more: false, limited };
    batch.write(checkStop);
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
    return { sequence: last, more, limited };
  }

  /** Adds the next entries to the batch, block by block, until one of its limits is reached. */
  private collect(
    batch: PostingBatch,
    indexed: Pick<IndexState, 'sequence' | 'newestId'>,
    maxGrowthBytes: number,
    checkStop: () => void,
  ): CollectedEntries {
    const collected = new CollectedEntries(indexed, maxGrowthBytes);
    // Under constant writes the batch would grow without end, and what it has read would still count as not indexed.
    const newest = newestSequence(this.documents);
    const addBlock = () => {
      const written = listWritesAfter(this.documents, collected.sequence, blockEntries);
      collected.more = written.length === blockEntries;
      for (const one of written) {
        checkStop();
        // Another write of an entry must not take terms from it that it got in this batch: it begins the next one.
        if (batch.isFull || collected.isFull || collected.ids.has(one.id) || one.sequence > newest) {
          collected.more = true;
          return false;
        }
        if (one.id > maxIndexedId) throw new Error(`entry id ${one.id} exceeds the limit of the search index`);
        const sizeBefore = batch.size;
        const searchable = getSearchable(this.documents, one.id);
        const omitted = this.add(batch, searchable, one.version, indexed.newestId);
        collected.add(searchable, one.sequence, omitted, batch.size - sizeBefore);
      }
      return collected.more;
    };
    while (this.inSnapshot(addBlock));
    return collected;
  }

  private inSnapshot<T>(work: () => T): T {
    try {
      this.documents.exec('BEGIN');
      return work();
    } finally {
      this.documents.rollBack();
    }
  }

  /** Finds new frequent words and adds their pairs to the entries that lack them. Returns the chunks that changed. */
  private learnFrequentWords(newestBefore: number, newest: number, checkStop: () => void): ReadonlySet<number> {
    const changed = new Set<number>();
    for (const chunk of chunksToLearnFrom(newestBefore, newest)) {
      const learned = this.frequentWords.learn(chunk, Math.min(chunkSize, newest + 1 - chunk * chunkSize));
      if (learned.numbers.size === 0) continue;
      // Entries of later chunks in this batch lack the pairs as well.
      for (let lacking = chunk; lacking <= chunkOf(newest); lacking++) {
        this.addPairs(lacking, learned, checkStop);
        changed.add(lacking);
      }
    }
    return changed;
  }

  /** Returns how many terms of the entry are not indexed, because it has too many new ones. */
  private add(batch: PostingBatch, entry: SearchableEntry, version: number, newestId: number): number {
    const { id, view } = entry;
    const numberOf = (word: string) => this.frequentWords.numberIn(chunkOf(id), word);
    // Those of the batch too: otherwise it would depend on the batches which words of a long entry are found.
    const findKnown: FindKnown = (kind, names) =>
      new Set([...this.termIds.findKnown(kind, names), ...names.filter((name) => batch.has(kind, name))]);
    const omitted = forEachTermWithin(
      vocabularyLimit,
      entry,
      findKnown,
      (kind, field, name, label) => batch.gain(id, kind, field, name, label),
      { numberOf, onPair: (field, first, second) => batch.gainPair(id, field, first, second) },
    );
    const instants = new Set(view.events.map(({ instant }) => instant));
    for (const earlier of id > newestId ? [] : this.indexedVersions(id, version)) {
      forEachTermWithin(
        noNewTerms,
        earlier,
        findKnown,
        (kind, field, name, label) => batch.lose(id, kind, field, name, label),
        { numberOf, onPair: (field, first, second) => batch.losePair(id, field, first, second) },
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

  /** Adds the pairs with newly frequent words to the entries of a chunk, in which no list has such pairs yet. */
  private addPairs(chunk: number, learned: LearnedWords, checkStop: () => void): void {
    let batch = new PostingBatch(this.index, this.termIds, -1);
    const numberOf = (word: string) => this.frequentWords.numberIn(chunk, word);
    for (const low of lowsOf(this.frequentWords.entriesWith(learned, chunk))) {
      checkStop();
      if (batch.isFull) {
        batch.write(checkStop);
        batch = new PostingBatch(this.index, this.termIds, -1);
      }
      const id = idOf(chunk, low);
      const onPair = (field: number, first: number, second: number) => {
        if (learned.numbers.has(first) || learned.numbers.has(second)) batch.gainPair(id, field, first, second);
      };
      forEachPair(getSearchable(this.documents, id), { numberOf, onPair });
    }
    batch.write(checkStop);
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

/** What a batch contains, and how much more it may. */
class CollectedEntries {
  readonly ids = new Set<number>();
  readonly chunks = new Set<number>();
  readonly limited: LimitedEntry[] = [];
  /** The sequence number of the newest write. */
  sequence: number;
  /** The highest id of an entry in the index and the batch. */
  newest: number;
  /** Whether there may be more to index. */
  more = false;
  private textChars = 0;

  constructor(
    indexed: Pick<IndexState, 'sequence' | 'newestId'>,
    private remainingBytes: number,
  ) {
    this.sequence = indexed.sequence;
    this.newest = indexed.newestId;
  }

  get isFull(): boolean {
    return this.ids.size >= batchEntries || this.textChars >= fullTextChars || this.remainingBytes < entryBytes;
  }

  /** @param terms how many pairs of a list and this entry the batch has got */
  add({ id, view, attachmentTexts }: SearchableEntry, sequence: number, omitted: number, terms: number): void {
    if (omitted > 0) this.limited.push({ entryId: id, omitted });
    this.ids.add(id);
    this.chunks.add(chunkOf(id));
    this.newest = Math.max(this.newest, id);
    this.sequence = sequence;
    this.remainingBytes -= Math.max(entryBytes, terms * termBytes);
    this.textChars += attachmentTexts.reduce((sum, text) => sum + text.length, view.description.length);
  }
}
