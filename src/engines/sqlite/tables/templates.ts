import { encodeTemplate, StoredTemplate } from '../../../entries/template.js';
import type { TemplateReader, TemplateStore } from '../../../entries/template-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { foldTemplateName, templateNameTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { isUniqueViolation } from '../database/sqlite-errors.js';
import { emptyList, listInSlices, listSizeColumns } from './list-slices.js';

export function templateReader(connection: Statements): TemplateReader {
  const findBy = (column: 'id' | 'folded_name', value: string) => {
    const row = connection.get<DocumentRow<Uint8Array>>(
      `SELECT CAST(document AS BLOB) AS document, crc FROM template WHERE ${column} = ?`,
      value,
    );
    return row && new StoredTemplate(readDocument(connection, `template ${value}`, row));
  };
  const namesAfter = (name: string, limit: number) =>
    connection
      .all<{ folded_name: string }>(
        'SELECT folded_name FROM template WHERE folded_name > ? ORDER BY folded_name LIMIT ?',
        name,
        limit,
      )
      .map((row) => row.folded_name);
  return {
    async find(id) {
      return findBy('id', id);
    },
    list() {
      return listInSlices(namesAfter, (name) => unlessDamaged(() => findBy('folded_name', name)));
    },
    async measure() {
      return connection.get<ListSize>(`SELECT ${listSizeColumns} FROM template`) ?? emptyList;
    },
  };
}

/** @param changed set when a write changes the templates */
export function templateStore(connection: Statements, changed: { catalog: boolean }): TemplateStore {
  return {
    ...templateReader(connection),
    async put(template) {
      changed.catalog = true;
      const document = encodeTemplate(template);
      try {
        connection.run(
          `INSERT INTO template (id, folded_name, document, crc) VALUES (?, ?, CAST(? AS TEXT), ?)
           ON CONFLICT (id) DO UPDATE SET
             folded_name = excluded.folded_name, document = excluded.document, crc = excluded.crc`,
          template.id,
          foldTemplateName(template.name),
          document,
          checksumOf(document),
        );
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw templateNameTaken(template.name, error);
      }
    },
    async remove(id) {
      changed.catalog = true;
      return connection.run('DELETE FROM template WHERE id = ?', id) > 0;
    },
  };
}
