import type { CatalogItems, CatalogKind } from '../../../catalog/catalog.js';
import type { CatalogReader, CatalogStore } from '../../../catalog/catalog-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { emptyList, listInSlices, listSizeColumns } from './list-slices.js';

export function catalogReader(connection: Statements): CatalogReader {
  const findItem = <K extends CatalogKind>(kind: K, name: string) => {
    const row = connection.get<DocumentRow>(
      'SELECT document, crc FROM catalog_item WHERE kind = ? AND name = ?',
      kind,
      name,
    );
    return row && (JSON.parse(readDocument(connection, `${name} of the ${kind}`, row)) as CatalogItems[K]);
  };
  const namesAfter = (kind: CatalogKind, name: string, limit: number) =>
    connection
      .all<{ name: string }>(
        'SELECT name FROM catalog_item WHERE kind = ? AND name > ? ORDER BY name LIMIT ?',
        kind,
        name,
        limit,
      )
      .map((row) => row.name);
  return {
    async find(kind, name) {
      return findItem(kind, name);
    },
    list<K extends CatalogKind>(kind: K) {
      return listInSlices(
        (name, limit) => namesAfter(kind, name, limit),
        (name) => unlessDamaged(() => findItem<K>(kind, name)),
      );
    },
    async measure(kind) {
      return connection.get<ListSize>(`SELECT ${listSizeColumns} FROM catalog_item WHERE kind = ?`, kind) ?? emptyList;
    },
  };
}

/** @param changed set when a write changes the catalogue */
export function catalogStore(connection: Statements, changed: { catalog: boolean }): CatalogStore {
  return {
    ...catalogReader(connection),
    async put(kind, item) {
      changed.catalog = true;
      const document = JSON.stringify(item);
      connection.run(
        `INSERT INTO catalog_item (kind, name, document, crc) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET document = excluded.document, crc = excluded.crc`,
        kind,
        item.name,
        document,
        checksumOf(document),
      );
    },
    async remove(kind, name) {
      changed.catalog = true;
      return connection.run('DELETE FROM catalog_item WHERE kind = ? AND name = ?', kind, name) > 0;
    },
  };
}
