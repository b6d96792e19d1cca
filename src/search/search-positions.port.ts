import type { EntryVersion } from './search-index.port.js';

/** Which writes the searches of this node find. */
export interface SearchPositions {
  /** For how long searches may lack writes; undefined: they never had all of them. */
  readonly lagMs: number | undefined;
  /**
   * Waits until searches find this version of an entry, or a later one.
   * @throws Fault unavailable `search.lagging` when they do not within 2 seconds
   */
  waitFor(written: EntryVersion): Promise<void>;
}
