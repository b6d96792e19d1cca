import { LRUCache } from 'lru-cache';
import type { StoredEntry } from '../../entries/entry-json.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import type { TimeSlicedQueue } from '../../kernel/time-slice.js';

const maxBytes = 33_554_432;
/** Estimates the memory of an entry: its JSON, and its decoded form. */
const estimateBytes = ({ json }: StoredEntry) => 4 * json.byteLength;

/** The entries of the newest changes, read once for all live clients. */
export class EntryCache {
  /** Increases with each invalidation. */
  private generation = 0;
  private readonly cached = new LRUCache<number, StoredEntry>({ maxSize: maxBytes, sizeCalculation: estimateBytes });

  constructor(
    private readonly entries: EntryReader,
    private readonly turns: TimeSlicedQueue,
  ) {}

  /** Drops the entries that a commit changed; undefined: all. To be called after each commit that changes entries. */
  invalidate(entryIds: readonly number[] | undefined): void {
    this.generation += 1;
    if (entryIds) for (const id of entryIds) this.cached.delete(id);
    else this.cached.clear();
  }

  /**
   * Returns the current version of an entry; undefined if none has this id; `damaged` if its stored data cannot be
   * read, which must not hide later changes.
   * @param version the lowest revision to return
   */
  find(id: number, version: number): Promise<StoredEntry | 'damaged' | undefined> {
    return this.turns.run(async () => {
      const cached = this.cached.get(id);
      // Readers see a commit a moment before its listeners are called.
      if (cached && cached.revision >= version) return cached;
      const { generation } = this;
      const entry = await unlessDamaged(() => this.entries.find(id));
      if (!entry || entry === 'damaged') return entry;
      // An entry that was read before a commit must not stay in the cache after it.
      if (generation === this.generation) this.cached.set(id, entry);
      return entry;
    });
  }
}
