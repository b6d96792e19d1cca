import { chunkOf } from './containers.js';
import type { BlockEntry, SplitEntry } from './entry-block.js';

/**
 * How many entries one transaction indexes. A batch writes most pages of the index, so few large batches write much
 * less than many small ones; their size is bounded by memory.
 */
const batchEntries = 65_536;
/** A batch with this much text is full: long entries must not wait in one transaction of minutes. */
const fullTextChars = 50_331_648;

/** The space reserved in the index and its write-ahead log for one entry, and for each term of a long entry. */
export const entryBytes = 65_536;
const termBytes = 512;

/** An entry some of whose words are not indexed. */
export interface LimitedEntry {
  readonly entryId: number;
  /** Number of terms of the entry that are not indexed. */
  readonly omitted: number;
}

export interface AddedEntry extends Pick<SplitEntry, 'textChars'> {
  /** Number of terms of the entry that are not indexed. */
  readonly omitted: number;
  /** Number of lists that this entry joins in the batch. */
  readonly lists: number;
}

/** Entries of a batch, with the capacity that is left. */
export class CollectedEntries {
  readonly ids = new Set<number>();
  readonly chunks = new Set<number>();
  readonly limited: LimitedEntry[] = [];
  /** The highest id of an entry in the index and the batch. */
  newest: number;
  private textChars = 0;

  /**
   * @param indexedNewestId the highest id of an entry in the index
   * @param sequence the sequence number of the newest write in the index, and then in the batch
   */
  constructor(
    readonly indexedNewestId: number,
    public sequence: number,
    private remainingBytes: number,
  ) {
    this.newest = indexedNewestId;
  }

  get isFull(): boolean {
    return this.ids.size >= batchEntries || this.textChars >= fullTextChars || this.remainingBytes < entryBytes;
  }

  add({ id, sequence }: BlockEntry, { omitted, lists, textChars }: AddedEntry): void {
    if (omitted > 0) this.limited.push({ entryId: id, omitted });
    this.ids.add(id);
    this.chunks.add(chunkOf(id));
    this.newest = Math.max(this.newest, id);
    this.sequence = sequence;
    this.remainingBytes -= Math.max(entryBytes, lists * termBytes);
    this.textChars += textChars;
  }
}
