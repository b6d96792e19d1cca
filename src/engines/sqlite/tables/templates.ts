import { encodeTemplate, StoredTemplate } from '../../../entries/template.js';
import type { TemplateReader, TemplateStore } from '../../../entries/template-store.port.js';
import type { ListSize } from '../../../kernel/list-limits.js';
import { foldTemplateName, templateNameTaken } from '../../store-faults.js';
import { checksumOf, type DocumentRow, readDocument, unlessDamaged } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { isUniqueViolation } from '../database/sqlite-errors.js';
import { emptyList, type ListKey, listInSlices, listSizeColumns } from './list-slices.js';

interface TemplateRow extends DocumentRow<Uint8Array> {
  id: string;
}

const columns = 'id, CAST(document AS BLOB) AS document, crc';

export function templateReader(connection: Statements): TemplateReader {
  const toStored = (row: TemplateRow) => new StoredTemplate(readDocument(connection, `template ${row.id}`, row));
  return {
    async find(id) {
      const row = connection.get<TemplateRow>(`SELECT ${columns} FROM template WHERE id = ?`, id);
      return row && toStored(row);
    },
    list() {
      return listInSlices<string, StoredTemplate>(
        '',
        (name, limit) =>
          connection.all<ListKey<string>>(
            `SELECT folded_name AS key, octet_length(document) AS bytes FROM template
             WHERE folded_name > ? ORDER BY folded_name LIMIT ?`,
            name,
            limit,
          ),
        (names) =>
          connection
            .all<TemplateRow>(
              `SELECT ${columns} FROM template WHERE folded_name IN (SELECT value FROM json_each(?)) ORDER BY folded_name`,
              JSON.stringify(names),
            )
            .flatMap((row) => unlessDamaged(() => toStored(row)) ?? []),
      );
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
