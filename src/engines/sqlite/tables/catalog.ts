import type { CatalogItems, CatalogKind } from '../../../catalog/catalog.js';
import type { CatalogReader, CatalogStore } from '../../../catalog/catalog-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { digestItem } from '../../../ledger/ledger-record.js';
import { catalogSubject, subjectRecord } from '../../ledger-rows.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { appendRecord } from './ledger.js';
import { emptyList, type ListKey, listInSlices, listSizeColumns } from './list-slices.js';

interface NamedRow extends DocumentRow {
  name: string;
}

export function catalogReader(connection: Statements): CatalogReader {
  const parse = <K extends CatalogKind>(kind: K, name: string, row: DocumentRow) =>
    JSON.parse(readDocument(connection, `${name} of the ${kind}`, row)) as CatalogItems[K];
  return {
    async find(kind, name) {
      const row = connection.get<DocumentRow>(
        'SELECT document, crc FROM catalog_item WHERE kind = ? AND name = ?',
        kind,
        name,
      );
      return row && parse(kind, name, row);
    },
    list<K extends CatalogKind>(kind: K) {
      return listInSlices<string, CatalogItems[K]>(
        '',
        (name, limit) =>
          connection.all<ListKey<string>>(
            `SELECT name AS key, octet_length(document) AS bytes FROM catalog_item
             WHERE kind = ? AND name > ? ORDER BY name LIMIT ?`,
            kind,
            name,
            limit,
          ),
        (names) =>
          connection
            .all<NamedRow>(
              'SELECT name, document, crc FROM catalog_item WHERE kind = ? AND name IN (SELECT value FROM json_each(?)) ORDER BY name',
              kind,
              JSON.stringify(names),
            )
            .flatMap((row) => unlessDamaged(() => parse<K>(kind, row.name, row)) ?? []),
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
      appendRecord(connection, subjectRecord('catalog', catalogSubject(kind, item.name), digestItem(document)));
    },
    async remove(kind, name) {
      changed.catalog = true;
      const isRemoved = connection.run('DELETE FROM catalog_item WHERE kind = ? AND name = ?', kind, name) > 0;
      if (isRemoved) {
        appendRecord(connection, subjectRecord('catalog-removed', catalogSubject(kind, name), digestItem('')));
      }
      return isRemoved;
    },
  };
}
