import type { CatalogItems, CatalogKind } from '../catalog/catalog.js';
import type { CatalogReader } from '../catalog/catalog-store.port.js';
import type { Difference } from './compare-entry.js';

/** Compares a list of the source with what is stored here; more items here are no difference. */
export async function* compareCatalog<K extends CatalogKind>(
  catalog: CatalogReader,
  kind: K,
  items: readonly CatalogItems[K][],
): AsyncGenerator<Difference> {
  for (const item of items) {
    const stored = await catalog.find(kind, item.name);
    if (JSON.stringify(stored) !== JSON.stringify(item)) {
      yield { key: item.name, field: kind, source: item, here: stored ?? 'missing' };
    }
  }
}
