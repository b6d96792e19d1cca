import type { CatalogItems, CatalogKind } from '../../../catalog/catalog.js';
import type { CatalogReader, CatalogStore } from '../../../catalog/catalog-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { digestItem } from '../../../ledger/ledger-record.js';
import { catalogSubject, subjectRecord } from '../../ledger-rows.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import { upsert } from '../dialect.js';
import { emptyList, listInSlices, listSizeColumns } from '../list-slices.js';
import type { Statements } from '../statements.port.js';
import type { CatalogScope } from '../write-scope.port.js';

interface Row extends DocumentRow {
  readonly name: string;
}

const put = upsert('catalog_item');

export function catalogReader(connection: Statements): CatalogReader {
  const { dialect } = connection;
  const parse = <K extends CatalogKind>(kind: K, row: Row) =>
    JSON.parse(readDocument(connection, `${row.name} of the ${kind}`, row)) as CatalogItems[K];
  return {
    async find(kind, name) {
      const sql = 'SELECT name, document, crc FROM catalog_item WHERE kind = ? AND name = ?';
      const row = await connection.get<Row>(sql, kind, name);
      return row && parse(kind, row);
    },
    async *list<K extends CatalogKind>(kind: K) {
      const rows = listInSlices<Row, string>(connection, {
        values: [kind],
        first: '',
        keysAfter: `SELECT name AS key, octet_length(document) AS bytes FROM catalog_item
          WHERE kind = ? AND name > ? ORDER BY name LIMIT ?`,
        rows: `SELECT name, document, crc FROM catalog_item
          WHERE kind = ? AND ${dialect.isIn('name', 'text')} ORDER BY name`,
      });
      for await (const row of rows) {
        const item = unlessDamaged(() => parse(kind, row));
        if (item) yield item;
      }
    },
    async measure(kind) {
      const sql = `SELECT ${listSizeColumns} FROM catalog_item WHERE kind = ?`;
      return (await connection.get<ListSize>(sql, kind)) ?? emptyList;
    },
  };
}

export function catalogStore(connection: Statements, scope: CatalogScope): CatalogStore {
  return {
    ...catalogReader(scope.catalogReads),
    async put(kind, item) {
      scope.changed.catalog = true;
      await scope.claimCatalog();
      const document = JSON.stringify(item);
      await connection.run(...put({ kind, name: item.name, document, crc: checksumOf(document) }));
      scope.forgetCatalog();
      scope.appendRecord(subjectRecord('catalog', catalogSubject(kind, item.name), digestItem(document)));
    },
    async remove(kind, name) {
      scope.changed.catalog = true;
      await scope.claimCatalog();
      const sql = 'DELETE FROM catalog_item WHERE kind = ? AND name = ?';
      const isRemoved = (await connection.run(sql, kind, name)) > 0;
      scope.forgetCatalog();
      if (isRemoved) scope.appendRecord(subjectRecord('catalog-removed', catalogSubject(kind, name), digestItem('')));
      return isRemoved;
    },
  };
}
