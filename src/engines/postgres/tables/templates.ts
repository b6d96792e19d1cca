import { encodeTemplate, StoredTemplate } from '../../../entries/template.js';
import type { TemplateReader, TemplateStore } from '../../../entries/template-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { foldTemplateName, templateNameTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import type { Statements } from '../database/statements.js';
import type { CatalogClaim } from './catalog.js';
import { boundedPage, listInPages, listSizeColumns } from './pages.js';

interface Row extends DocumentRow {
  readonly folded_name: string;
}

export function templateReader(connection: Statements): TemplateReader {
  const parse = (row: Row) =>
    new StoredTemplate(Buffer.from(readDocument(connection, `template ${row.folded_name}`, row)));
  return {
    async find(id) {
      const row = await connection.get<Row>('SELECT folded_name, document, crc FROM template WHERE id = $1', id);
      return row && parse(row);
    },
    async *list() {
      const sql = boundedPage(
        'SELECT folded_name, document, crc FROM template WHERE folded_name > $1 ORDER BY folded_name LIMIT $2',
        'folded_name',
      );
      const rowsAfter = (name: string, limit: number) => connection.all<Row>(sql, name, limit);
      for await (const row of listInPages('', ({ folded_name }) => folded_name, rowsAfter)) {
        const template = unlessDamaged(() => parse(row));
        if (template) yield template;
      }
    },
    async measure() {
      return (await connection.get<ListSize>(`SELECT ${listSizeColumns} FROM template`)) ?? { items: 0, bytes: 0 };
    },
  };
}

/** @param changed set when a write changes the templates */
export function templateStore(
  connection: Statements,
  changed: { catalog: boolean },
  scope: CatalogClaim,
): TemplateStore {
  return {
    ...templateReader(connection),
    async put(template) {
      changed.catalog = true;
      await scope.claimCatalog();
      const document = encodeTemplate(template);
      const name = foldTemplateName(template.name);
      const other = 'SELECT 1 FROM template WHERE folded_name = $1 AND id <> $2';
      if (await connection.get(other, name, template.id)) throw templateNameTaken(template.name);
      await connection.run(
        `INSERT INTO template (id, folded_name, document, crc) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO UPDATE SET
           folded_name = excluded.folded_name, document = excluded.document, crc = excluded.crc`,
        ...[template.id, name, document, checksumOf(document)],
      );
    },
    async remove(id) {
      changed.catalog = true;
      await scope.claimCatalog();
      return (await connection.run('DELETE FROM template WHERE id = $1', id)) > 0;
    },
  };
}
