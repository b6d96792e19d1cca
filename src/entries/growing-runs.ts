import { LRUCache } from 'lru-cache';
import { upTo } from '../kernel/cache-limits.js';
import type { StoredEntry } from './entry-json.js';

/** Maximum number of runs that are kept in memory. */
const maxRuns = 16;

/** The runs that grew last, decoded, because decoding them for each block would slow down long runs. */
export class GrowingRuns {
  private readonly kept = new LRUCache<number, StoredEntry>(upTo(maxRuns));

  keep(stored: StoredEntry): void {
    this.kept.set(stored.id, stored);
  }

  /** Returns the kept entry if it has the same bytes; otherwise `stored`, which may be a write of another node. */
  recall(stored: StoredEntry): StoredEntry {
    const kept = this.kept.get(stored.id);
    return kept?.revision === stored.revision && kept.json.equals(stored.json) ? kept : stored;
  }

  forget(id: number): void {
    this.kept.delete(id);
  }
}
