import type { CatalogItems, CatalogKind } from '../../../catalog/catalog.js';
import type { CatalogReader, CatalogStore } from '../../../catalog/catalog-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { digestItem } from '../../../ledger/ledger-record.js';
import { catalogSubject, subjectRecord } from '../../ledger-rows.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import { catalogRevisionSql } from '../database/catalog-cache.js';
import type { Statements } from '../database/statements.js';
import type { LedgerScope } from './ledger.js';
import { boundedPage, listInPages, listSizeColumns } from './pages.js';

interface Row extends DocumentRow {
  readonly name: string;
}

export function catalogReader(connection: Statements): CatalogReader {
  const parse = <K extends CatalogKind>(kind: K, row: Row) =>
    JSON.parse(readDocument(connection, `${row.name} of the ${kind}`, row)) as CatalogItems[K];
  return {
    async find(kind, name) {
      const sql = 'SELECT name, document, crc FROM catalog_item WHERE kind = $1 AND name = $2';
      const row = await connection.get<Row>(sql, kind, name);
      return row && parse(kind, row);
    },
    async *list<K extends CatalogKind>(kind: K) {
      const sql = boundedPage(
        'SELECT name, document, crc FROM catalog_item WHERE kind = $1 AND name > $2 ORDER BY name LIMIT $3',
        'name',
      );
      const rowsAfter = (name: string, limit: number) => connection.all<Row>(sql, kind, name, limit);
      for await (const row of listInPages('', ({ name }) => name, rowsAfter)) {
        const item = unlessDamaged(() => parse<K>(kind, row));
        if (item) yield item;
      }
    },
    async measure(kind) {
      const sql = `SELECT ${listSizeColumns} FROM catalog_item WHERE kind = $1`;
      return (await connection.get<ListSize>(sql, kind)) ?? { items: 0, bytes: 0 };
    },
  };
}

/** Part of a write that is needed to change the catalogue or the templates. */
export interface CatalogClaim {
  /** Must be called before a statement that changes them; see `WriteBatch`. */
  claimCatalog(): Promise<void>;
}

/** Part of a write that is needed to change the catalogue. */
export interface CatalogScope extends LedgerScope, CatalogClaim {
  /** Reads of the catalogue, which may be answered with what the transaction has read before. */
  readonly catalogReads: Statements;
  /** Must be called after a statement that has changed the catalogue. */
  forgetCatalog(): void;
}

/** Returns what differs after each change of the catalogue or the templates. */
export async function readCatalogRevision(connection: Statements): Promise<string> {
  const found = await connection.get<{ revision: string }>(catalogRevisionSql);
  return found?.revision ?? '';
}

/** @param changed set when a write changes the catalogue */
export function catalogStore(connection: Statements, changed: { catalog: boolean }, scope: CatalogScope): CatalogStore {
  return {
    ...catalogReader(scope.catalogReads),
    async put(kind, item) {
      changed.catalog = true;
      await scope.claimCatalog();
      const document = JSON.stringify(item);
      await connection.run(
        `INSERT INTO catalog_item (kind, name, document, crc) VALUES ($1, $2, $3, $4)
         ON CONFLICT (kind, name) DO UPDATE SET document = excluded.document, crc = excluded.crc`,
        ...[kind, item.name, document, checksumOf(document)],
      );
      scope.forgetCatalog();
      scope.appendRecord(subjectRecord('catalog', catalogSubject(kind, item.name), digestItem(document)));
    },
    async remove(kind, name) {
      changed.catalog = true;
      await scope.claimCatalog();
      const isRemoved =
        (await connection.run('DELETE FROM catalog_item WHERE kind = $1 AND name = $2', kind, name)) > 0;
      scope.forgetCatalog();
      if (isRemoved) scope.appendRecord(subjectRecord('catalog-removed', catalogSubject(kind, name), digestItem('')));
      return isRemoved;
    },
  };
}
