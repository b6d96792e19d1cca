import { chunkOf } from './containers.js';
import type { BlockEntry, SplitEntry } from './entry-block.js';

/**
 * Maximum number of entries indexed in one transaction. A batch writes most pages of the index, so a few large batches
 * write much less than many small ones. Memory limits the size.
 */
const batchEntries = 65_536;
/** Length of text at which a batch is full, so that long entries do not lead to a transaction of minutes. */
const fullTextChars = 50_331_648;

/** Space reserved in the index and its write-ahead log for one entry, and for each term of a long entry. */
export const entryBytes = 65_536;
const termBytes = 512;

/** An entry with terms that are not indexed. */
export interface LimitedEntry {
  readonly entryId: number;
  /** Number of terms of the entry that are not indexed. */
  readonly omitted: number;
}

export interface AddedEntry extends Pick<SplitEntry, 'textChars'> {
  /** Number of terms of the entry that are not indexed. */
  readonly omitted: number;
  /** Number of lists in the batch that this entry joins. */
  readonly lists: number;
}

/** Entries of a batch, with the remaining capacity. */
export class CollectedEntries {
  readonly ids = new Set<number>();
  readonly chunks = new Set<number>();
  readonly limited: LimitedEntry[] = [];
  /** Highest entry id in the index and the batch. */
  newest: number;
  private textChars = 0;

  /**
   * @param indexedNewestId highest entry id in the index
   * @param sequence sequence number of the newest write in the index; updated to that of the batch
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
