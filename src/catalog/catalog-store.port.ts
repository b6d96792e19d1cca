import type { CatalogItems, CatalogKind } from './catalog.js';

export interface CatalogReader {
  /** The item of exactly that name (case matters), active or not; undefined when there never was one. */
  find<K extends CatalogKind>(kind: K, name: string): Promise<CatalogItems[K] | undefined>;
  /** All items, active and inactive, ordered by name; never capped. */
  list<K extends CatalogKind>(kind: K): Promise<CatalogItems[K][]>;
}

export interface CatalogStore extends CatalogReader {
  /** Adds the item, or replaces the one of that name. */
  put<K extends CatalogKind>(kind: K, item: CatalogItems[K]): Promise<void>;
  /** True when removed; false, and no effect, when there was none. */
  remove(kind: CatalogKind, name: string): Promise<boolean>;
}
