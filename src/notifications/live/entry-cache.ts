import { LRUCache } from 'lru-cache';
import type { Entry } from '../../entries/entry.js';
import { toEntryView } from '../../entries/entry-json.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import type { TimeSlicedQueue } from '../../kernel/time-sliced-queue.js';

const keptBytes = 33_554_432;
/** Of an entry without its texts. */
const plainBytes = 2_000;

/** An entry as it stands, and as JSON, which is made once for all clients. */
export class CachedEntry {
  private made: Buffer | undefined;

  constructor(readonly entry: Entry) {}

  get json(): Buffer {
    this.made ??= Buffer.from(JSON.stringify(toEntryView(this.entry)));
    return this.made;
  }
}

/** The entries that the newest changes are about, read once for all live clients. */
export class EntryCache {
  /** Counts how often things have changed. */
  private generation = 0;
  private readonly kept = new LRUCache<number, CachedEntry>({
    maxSize: keptBytes,
    // Source and description, each here and in the JSON.
    sizeCalculation: ({ entry }) => plainBytes + 6 * entry.source.length,
  });

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
  find(id: number, version: number): Promise<CachedEntry | undefined> {
    return this.turns.run(async () => {
      const kept = this.kept.get(id);
      // A commit is seen by readers a moment before anybody is told of it.
      if (kept && kept.entry.version >= version) return kept;
      const { generation } = this;
      const entry = await this.entries.find(id);
      if (!entry) return undefined;
      const current = new CachedEntry(entry);
      // What was read before a commit is not kept beyond it.
      if (generation === this.generation) this.kept.set(id, current);
      return current;
    });
  }
}
