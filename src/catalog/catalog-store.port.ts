import type { ListSize } from '../kernel/list-limits.js';
import type { CatalogItems, CatalogKind } from './catalog.js';

export interface CatalogReader {
  /** Returns the item with exactly this name (case matters), active or not; undefined when there is none. */
  find<K extends CatalogKind>(kind: K, name: string): Promise<CatalogItems[K] | undefined>;
  /**
   * Yields all items, active and inactive, ordered by name, without a limit. They are read while they are consumed, and
   * other work can run in between: an item that changes in the meantime is yielded in its earlier or its new state.
   */
  list<K extends CatalogKind>(kind: K): AsyncGenerator<CatalogItems[K]>;
  /** Returns the size of a list, inactive items included. */
  measure(kind: CatalogKind): Promise<ListSize>;
}

export interface CatalogStore extends CatalogReader {
  /** Adds the item, or replaces the one with the same name. */
  put<K extends CatalogKind>(kind: K, item: CatalogItems[K]): Promise<void>;
  /** Removes the item. Returns false when there was none. */
  remove(kind: CatalogKind, name: string): Promise<boolean>;
}
