import type { CatalogItems, CatalogKind } from '../../../catalog/catalog.js';
import type { CatalogReader, CatalogStore } from '../../../catalog/catalog-store.port.js';
import type { Statements } from '../database/connection.js';

export function catalogReader(connection: Statements): CatalogReader {
  return {
    async find<K extends CatalogKind>(kind: K, name: string) {
      const row = connection.get<{ document: string }>(
        'SELECT document FROM catalog_item WHERE kind = ? AND name = ?',
        kind,
        name,
      );
      return row && (JSON.parse(row.document) as CatalogItems[K]);
    },
    async list<K extends CatalogKind>(kind: K) {
      return connection
        .all<{ document: string }>('SELECT document FROM catalog_item WHERE kind = ? ORDER BY name', kind)
        .map((row) => JSON.parse(row.document) as CatalogItems[K]);
    },
  };
}

export function catalogStore(connection: Statements): CatalogStore {
  return {
    ...catalogReader(connection),
    async put(kind, item) {
      connection.run(
        'INSERT INTO catalog_item (kind, name, document) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET document = excluded.document',
        kind,
        item.name,
        JSON.stringify(item),
      );
    },
    async remove(kind, name) {
      return connection.run('DELETE FROM catalog_item WHERE kind = ? AND name = ?', kind, name) > 0;
    },
  };
}
