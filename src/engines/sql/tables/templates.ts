import { encodeTemplate, StoredTemplate } from '../../../entries/template.js';
import type { TemplateReader, TemplateStore } from '../../../entries/template-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { foldTemplateName, templateNameTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import { toBytes } from '../dialect.js';
import { emptyList, listInSlices, listSizeColumns } from '../list-slices.js';
import type { Statements } from '../statements.port.js';
import type { CatalogClaim } from '../write-scope.port.js';

interface Row extends DocumentRow<string | Uint8Array> {
  readonly id: string;
}

export function templateReader(connection: Statements): TemplateReader {
  const { dialect } = connection;
  const columns = `id, ${dialect.bytesOf('document')} AS document, crc`;
  const parse = (row: Row) => new StoredTemplate(toBytes(readDocument(connection, `template ${row.id}`, row)));
  return {
    async find(id) {
      const row = await connection.get<Row>(`SELECT ${columns} FROM template WHERE id = ?`, id);
      return row && parse(row);
    },
    async *list() {
      const rows = listInSlices<Row, string>(connection, {
        first: '',
        keysAfter: `SELECT folded_name AS key, octet_length(document) AS bytes FROM template
          WHERE folded_name > ? ORDER BY folded_name LIMIT ?`,
        rows: `SELECT ${columns} FROM template WHERE ${dialect.isIn('folded_name', 'text')} ORDER BY folded_name`,
      });
      for await (const row of rows) {
        const template = unlessDamaged(() => parse(row));
        if (template) yield template;
      }
    },
    async measure() {
      return (await connection.get<ListSize>(`SELECT ${listSizeColumns} FROM template`)) ?? emptyList;
    },
  };
}

export function templateStore(connection: Statements, scope: CatalogClaim): TemplateStore {
  return {
    ...templateReader(connection),
    async put(template) {
      scope.changed.catalog = true;
      await scope.claimCatalog();
      const document = encodeTemplate(template);
      const name = foldTemplateName(template.name);
      const other = 'SELECT 1 FROM template WHERE folded_name = ? AND id <> ?';
      if (await connection.get(other, name, template.id)) throw templateNameTaken(template.name);
      const sql = `INSERT INTO template (id, folded_name, document, crc) VALUES (?, ?, ${connection.dialect.textOf('?')}, ?)
         ON CONFLICT (id) DO UPDATE SET
           folded_name = excluded.folded_name, document = excluded.document, crc = excluded.crc`;
      await connection.run(sql, template.id, name, document, checksumOf(document));
    },
    async remove(id) {
      scope.changed.catalog = true;
      await scope.claimCatalog();
      return (await connection.run('DELETE FROM template WHERE id = ?', id)) > 0;
    },
  };
}
