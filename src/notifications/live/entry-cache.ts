import { LRUCache } from 'lru-cache';
import type { StoredEntry } from '../../entries/entry-json.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import type { TimeSlicedQueue } from '../../kernel/time-sliced-queue.js';

const keptBytes = 33_554_432;
/** The bytes of an entry, and what it takes when it is decoded. */
const cachedSize = ({ json }: StoredEntry) => 4 * json.byteLength;

/** The entries that the newest changes are about, read once for all live clients. */
export class EntryCache {
  /** Counts how often things have changed. */
  private generation = 0;
  private readonly kept = new LRUCache<number, StoredEntry>({ maxSize: keptBytes, sizeCalculation: cachedSize });

  constructor(
    private readonly entries: EntryReader,
    private readonly turns: TimeSlicedQueue,
  ) {}

  /** What was read is no longer how things stand. */
  forget(): void {
    this.generation += 1;
    this.kept.clear();
  }

  /**
   * The entry as it stands; undefined when there is none of that id.
   * @param version that it has reached
   */
  find(id: number, version: number): Promise<StoredEntry | undefined> {
    return this.turns.run(async () => {
      const kept = this.kept.get(id);
      // A commit is seen by readers a moment before anybody is told of it.
      if (kept && kept.version >= version) return kept;
      const { generation } = this;
      const entry = await this.entries.find(id);
      if (!entry) return undefined;
      // What was read before a commit is not kept beyond it.
      if (generation === this.generation) this.kept.set(id, entry);
      return entry;
    });
  }
}
