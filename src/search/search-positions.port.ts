import type { EntryRevision } from './search-index.port.js';

/** Reports which writes the searches of this node find. */
export interface SearchPositions {
  /** Maximum age of a write that searches may miss, in milliseconds; undefined when they have never been complete. */
  readonly lagMs: number | undefined;
  /**
   * Waits until searches find this version of an entry, or a later one.
   * @throws Fault unavailable `search.lagging` when they do not find it within 2 seconds
   */
  waitFor(written: EntryRevision): Promise<void>;
}
