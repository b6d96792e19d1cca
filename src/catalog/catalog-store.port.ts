import type { CatalogItems, CatalogKind } from './catalog.js';

export interface CatalogReader {
  /** Returns the item with exactly this name (case matters), active or not; undefined when there is none. */
  find<K extends CatalogKind>(kind: K, name: string): Promise<CatalogItems[K] | undefined>;
  /** Lists all items, active and inactive, ordered by name, without a limit. */
  list<K extends CatalogKind>(kind: K): Promise<CatalogItems[K][]>;
}

export interface CatalogStore extends CatalogReader {
  /** Adds the item, or replaces the one with the same name. */
  put<K extends CatalogKind>(kind: K, item: CatalogItems[K]): Promise<void>;
  /** Removes the item. True when removed; false, and no effect, when there was none. */
  remove(kind: CatalogKind, name: string): Promise<boolean>;
}
