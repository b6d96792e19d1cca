import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { fieldCount } from '../../../search-terms.js';
import { plainVectorOf } from '../../../text-vectors.js';
import type { Connection } from '../../database/connection.js';
import { type EntryWrite, getSearchable, listWritesBetween } from '../../tables/entry-writes.js';
import { BatchTerms, type NumberedTerms } from './batch-terms.js';
import { chunkOf } from './containers.js';
import { type FrequentWordTable, numberOfFrequent } from './frequent-words.js';
import { twice } from './term-entries.js';
import { forEachTerm } from './terms.js';
import { hasFewTerms } from './vocabulary-limit.js';

/** A range of consecutive writes. */
export interface BlockRange {
  /** Sequence number before the first write. */
  readonly after: number;
  /** Sequence number of the last write. */
  readonly last: number;
  /** Highest entry id in the index. */
  readonly newestId: number;
  readonly frequentWords: FrequentWordTable;
}

/**
 * Entries of a block of writes with their terms. A thread reads the block and sends it to the thread that writes the
 * index.
 */
export interface EntryBlock {
  readonly entries: readonly BlockEntry[];
  readonly terms: NumberedTerms;
  /** Lists that the entries join, entry by entry. Each combines the number of a term in this block with a field. */
  readonly lists: Uint32Array<ArrayBuffer>;
}

export interface BlockEntry extends EntryWrite {
  /**
   * Split entry. Undefined: the thread that writes the index reads and splits the entry, because it is long or replaces
   * an indexed version.
   */
  readonly split: SplitEntry | undefined;
}

export interface SplitEntry {
  /** End of the lists of this entry in `lists` of the block. */
  readonly listsEnd: number;
  /** Times of the events of the entry. */
  readonly instants: readonly number[];
  /** Vector without learned words, which is later refreshed with them. */
  readonly vector: Int8Array<ArrayBuffer>;
  readonly textChars: number;
}

/** Reads blocks in other threads. */
export interface BlockReader {
  /** Number of blocks to request before waiting for the first. */
  readonly ahead: number;
  /**
   * Requests a block. Returns a function that waits for the block; these functions must be called in the order of the
   * requests, each once. They return undefined if the caller must read the block, because it is the caller's turn or
   * the block could not be read.
   */
  request(range: BlockRange): () => EntryBlock | undefined;
  /** Drops the blocks that were requested but not waited for. */
  discard(): void;
}

/**
 * Reads the entries of a block in one snapshot of the documents. Omits entries written again since the range was
 * chosen: they belong to a later range.
 * @param checkStop called between entries; throws to cancel
 */
export function readBlock(documents: Connection, range: BlockRange, checkStop: () => void): EntryBlock {
  try {
    documents.exec('BEGIN');
    const lists = new BlockLists(range.frequentWords);
    const entries = listWritesBetween(documents, range.after, range.last).map((write): BlockEntry => {
      checkStop();
      const entry = write.id > range.newestId ? getSearchable(documents, write.id) : undefined;
      return { ...write, split: entry && !lists.isFull && hasFewTerms(entry) ? lists.split(entry) : undefined };
    });
    return { entries, ...lists.toArrays() };
  } finally {
    documents.rollBack();
  }
}

/**
 * Returns a block whose entries are not split; the thread that writes the index splits them. On one core, splitting
 * them here would take a fifth longer.
 */
export function unreadBlock(documents: Connection, { after, last }: BlockRange): EntryBlock {
  const entries = listWritesBetween(documents, after, last).map((write) => ({ ...write, split: undefined }));
  return { entries, ...new BlockLists(new Map()).toArrays() };
}

/** Returns the total length of the description and the attachment texts, a measure of the memory for the terms. */
export function textCharsOf({ view, attachmentTexts }: SearchableEntry): number {
  return attachmentTexts.reduce((sum, text) => sum + text.length, view.description.length);
}

/**
 * Number of lists at which a block is full. The thread that writes the index splits the remaining entries, because
 * several blocks are in memory at the same time.
 */
const fullLists = 1_000_000;

/** Collects the lists that the entries of a block join. */
class BlockLists {
  private readonly terms = new BatchTerms();
  private lists = new Uint32Array(65_536);
  private length = 0;
  /** Number of the entry, from 1, that joined each list last. */
  private lastGain = new Uint32Array(65_536);
  private entries = 0;

  constructor(private readonly frequentWords: FrequentWordTable) {}

  get isFull(): boolean {
    return this.length >= fullLists;
  }

  split(entry: SearchableEntry): SplitEntry {
    this.entries += 1;
    const chunk = chunkOf(entry.id);
    forEachTerm(
      entry,
      (kind, field, name, label) => this.gain(this.terms.numberOf(kind, name, label) * fieldCount + field),
      {
        numberOf: (word) => numberOfFrequent(this.frequentWords, chunk, word),
        onPair: (field, first, second) => this.gain(this.terms.numberOfPair(first, second) * fieldCount + field),
      },
    );
    const instants = [...new Set(entry.view.events.map(({ instant }) => instant))];
    return { listsEnd: this.length, instants, vector: plainVectorOf(entry.view), textChars: textCharsOf(entry) };
  }

  toArrays(): Pick<EntryBlock, 'terms' | 'lists'> {
    return { terms: this.terms.toNumberedTerms(), lists: this.lists.slice(0, this.length) };
  }

  private gain(list: number): void {
    while (list >= this.lastGain.length) this.lastGain = twice(this.lastGain);
    if (this.lastGain[list] === this.entries) return;
    this.lastGain[list] = this.entries;
    if (this.length === this.lists.length) this.lists = twice(this.lists);
    this.lists[this.length++] = list;
  }
}
