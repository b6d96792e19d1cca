import type { Template } from '../../../entries/template.js';
import type { TemplateReader, TemplateStore } from '../../../entries/template-store.port.js';
import { Fault, quoted } from '../../../kernel/fault.js';
import type { Statements } from '../database/connection.js';
import { isUniqueViolation } from '../database/sqlite-errors.js';

interface DocumentRow {
  document: string;
}

const toTemplate = (row: DocumentRow) => JSON.parse(row.document) as Template;

export function templateReader(connection: Statements): TemplateReader {
  return {
    async find(id) {
      const row = connection.get<DocumentRow>('SELECT document FROM template WHERE id = ?', id);
      return row && toTemplate(row);
    },
    async list() {
      return connection.all<DocumentRow>('SELECT document FROM template ORDER BY folded_name').map(toTemplate);
    },
  };
}

export function templateStore(connection: Statements): TemplateStore {
  return {
    ...templateReader(connection),
    async put(template) {
      try {
        connection.run(
          `INSERT INTO template (id, folded_name, document) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET folded_name = excluded.folded_name, document = excluded.document`,
          template.id,
          template.name.normalize('NFC').toLowerCase(),
          JSON.stringify(template),
        );
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Fault(
          'invalid',
          'template.name-taken',
          `Another template is named ${quoted(template.name)} (case does not matter). Choose another name, or replace that template by its id.`,
          { cause: error },
        );
      }
    },
    async remove(id) {
      return connection.run('DELETE FROM template WHERE id = ?', id) > 0;
    },
  };
}
