import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import type { Connection } from '../../database/connection.js';
import {
  endOfBlock,
  getSearchable,
  isLastWrite,
  listArchivedFrom,
  newestRunId,
  newestSequence,
} from '../../tables/entry-writes.js';
import { type AddedEntry, CollectedEntries, entryBytes, type LimitedEntry } from './collected-entries.js';
import { chunkOf, chunkSize, idOf, lowsOf } from './containers.js';
import { type BlockEntry, type BlockReader, type EntryBlock, textCharsOf, unreadBlock } from './entry-block.js';
import { EntryVectorWriter } from './entry-vectors.js';
import { chunksToLearnFrom, FrequentWords, type LearnedWords } from './frequent-words.js';
import { type IndexState, maxIndexedId, readState } from './index-database.js';
import { PostingBatch } from './posting-batch.js';
import { TermIds } from './term-ids.js';
import { forEachPair } from './terms.js';
import { type FindKnown, forEachTermWithin, noNewTerms, vocabularyLimit } from './vocabulary-limit.js';

/** Number of entries read in one snapshot of the documents, whose write-ahead log grows while a snapshot is open. */
const blockEntries = 1_024;

export interface IndexProgress {
  /** Sequence number of the newest indexed write. */
  readonly sequence: number;
  /** Whether there may be more to index. */
  readonly more: boolean;
  /** Entries with too many new terms. */
  readonly limited: readonly LimitedEntry[];
}

/**
 * Updates the index from the documents. Each batch advances the index to a later write, in one transaction. Searches
 * read unindexed writes from the documents.
 */
export class Indexer {
  private readonly frequentWords: FrequentWords;
  private readonly termIds: TermIds;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
    private readonly vectors = new EntryVectorWriter(index),
  ) {
    this.frequentWords = new FrequentWords(index);
    this.termIds = new TermIds(index);
  }

  /**
   * Indexes the next batch.
   * @param maxGrowthBytes maximum growth of the index in bytes, at least `entryBytes`
   * @param checkStop called between entries; throws to cancel the batch
   * @param reader reads the documents in other threads; undefined: this thread reads them
   */
  indexNext(maxGrowthBytes: number, checkStop: () => void, reader?: BlockReader): IndexProgress {
    try {
      this.index.exec('BEGIN IMMEDIATE');
      const progress = this.indexBatch(maxGrowthBytes, checkStop, reader);
      this.index.exec('COMMIT');
      return progress;
    } catch (error) {
      this.index.rollBack();
      throw error;
    }
  }

  private indexBatch(maxGrowthBytes: number, checkStop: () => void, reader: BlockReader | undefined): IndexProgress {
    const { sequence, generation, newestId } = readState(this.index);
    this.frequentWords.refresh();
    this.termIds.begin();
    this.vectors.begin();
    const batch = new PostingBatch(this.index, this.termIds, newestId);
    const blocks = this.blocks({ sequence, newestId }, Math.floor(maxGrowthBytes / entryBytes), reader);
    const collected = new CollectedEntries(newestId, sequence, maxGrowthBytes);
    for (const block of blocks) {
      if (!this.inSnapshot(() => this.addBlock(batch, collected, block, checkStop))) break;
    }
    const { sequence: last, newest, chunks, limited } = collected;
    // Determined before the batch is written: later writes trigger the next run anyway. Under constant writes, there
    // would always be more.
    const more = newestSequence(this.documents) > last;
    if (last === sequence) return { sequence, more: false, limited };
    batch.write(checkStop);
    this.vectors.write();
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

  /**
   * Yields the blocks of the unindexed writes.
   * @param limit maximum number of entries per block
   */
  private *blocks(
    { sequence, newestId }: Pick<IndexState, 'sequence' | 'newestId'>,
    limit: number,
    reader: BlockReader | undefined,
  ): Generator<EntryBlock> {
    const requested: (() => EntryBlock)[] = [];
    // Later writes are left to the next batch; under constant writes, this one would otherwise never end.
    const newest = newestSequence(this.documents);
    let after = sequence;
    const request = (): boolean => {
      const last = endOfBlock(this.documents, { after, newest, limit: Math.min(limit, blockEntries) });
      if (last === undefined) return false;
      const range = { after, last, newestId, frequentWords: this.frequentWords.table };
      const wait = reader?.request(range);
      requested.push(() => wait?.() ?? unreadBlock(this.documents, range));
      after = last;
      return true;
    };
    try {
      for (;;) {
        while (requested.length <= (reader?.ahead ?? 0) && request());
        const next = requested.shift();
        if (!next) return;
        yield next();
      }
    } finally {
      reader?.discard();
    }
  }

  /** Adds the entries of a block to the batch; returns false once the batch has reached a limit. */
  private addBlock(
    batch: PostingBatch,
    collected: CollectedEntries,
    block: EntryBlock,
    checkStop: () => void,
  ): boolean {
    const addGains = batch.gainsOf(block);
    let from = 0;
    for (const write of block.entries) {
      // A second write of an entry begins the next batch: it could remove terms that the entry gained in this one.
      if (batch.isFull || collected.isFull || collected.ids.has(write.id)) return false;
      if (write.id > maxIndexedId) throw new Error(`entry id ${write.id} exceeds the limit of the search index`);
      const { split } = write;
      if (split) {
        addGains(write.id, from, split.listsEnd);
        this.recordFacts(write, split.instants);
        this.vectors.putVector(write.id, split.vector);
        collected.add(write, { ...split, omitted: 0, lists: split.listsEnd - from });
        from = split.listsEnd;
      } else {
        checkStop();
        const added = this.addUnsplit(batch, write, collected.indexedNewestId);
        if (added) collected.add(write, added);
      }
    }
    return true;
  }

  /**
   * Adds an entry that is not split yet; returns undefined if it was written again and thus belongs to a later batch.
   */
  private addUnsplit(batch: PostingBatch, write: BlockEntry, newestId: number): AddedEntry | undefined {
    if (!isLastWrite(this.documents, write)) return undefined;
    const sizeBefore = batch.size;
    const searchable = getSearchable(this.documents, write.id);
    const omitted = this.add(batch, searchable, write.version, newestId);
    return { omitted, lists: batch.size - sizeBefore, textChars: textCharsOf(searchable) };
  }

  private inSnapshot<T>(work: () => T): T {
    try {
      this.documents.exec('BEGIN');
      return work();
    } finally {
      this.documents.rollBack();
    }
  }

  /** Finds new frequent words, and adds their pairs to the entries that lack them. Returns the chunks that changed. */
  private learnFrequentWords(newestBefore: number, newest: number, checkStop: () => void): ReadonlySet<number> {
    const changed = new Set<number>();
    for (const chunk of chunksToLearnFrom(newestBefore, newest)) {
      const learned = this.frequentWords.learn(chunk, Math.min(chunkSize, newest + 1 - chunk * chunkSize));
      if (learned.numbers.size === 0) continue;
      // Entries of later chunks in this batch lack the pairs, too.
      for (let lacking = chunk; lacking <= chunkOf(newest); lacking++) {
        this.addPairs(lacking, learned, checkStop);
        changed.add(lacking);
      }
    }
    return changed;
  }

  /**
   * Adds an entry to the batch; returns the number of its terms that are not indexed because it has too many new ones.
   */
  private add(batch: PostingBatch, entry: SearchableEntry, version: number, newestId: number): number {
    const { id, view } = entry;
    const numberOf = (word: string) => this.frequentWords.numberIn(chunkOf(id), word);
    // Terms of the batch also count as known. Otherwise, the division into batches would determine which words of a
    // long entry are found.
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
    this.recordFacts({ id, version }, instants);
    this.vectors.put(id, view);
    return omitted;
  }

  private recordFacts({ id, version }: Pick<BlockEntry, 'id' | 'version'>, instants: Iterable<number>): void {
    for (const instant of instants) {
      this.index.run('INSERT OR IGNORE INTO event (instant_ms, entry_id) VALUES (?, ?)', instant, id);
    }
    if (version > 1) {
      this.index.run('INSERT OR REPLACE INTO indexed_version (entry_id, version) VALUES (?, ?)', id, version);
    }
  }

  /** Adds the pairs with newly frequent words to the entries of a chunk, whose lists do not contain such pairs yet. */
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
   * Lists the versions of an entry whose terms the index may contain: the archived versions from the indexed one on.
   * The indexed version itself may be missing if it was annotated later; but an annotation never removes anything.
   */
  private indexedVersions(id: number, version: number): SearchableEntry[] {
    if (version === 1) return [];
    const row = this.index.get<{ version: number }>('SELECT version FROM indexed_version WHERE entry_id = ?', id);
    return listArchivedFrom(this.documents, id, row?.version ?? 1);
  }
}
