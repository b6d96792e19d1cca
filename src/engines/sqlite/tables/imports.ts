import type { ImportedItem, ImportReader, ImportStore } from '../../../imports/import-store.port.js';
import type { Statements } from '../database/connection.js';

const columns = 'key, target, version, digest';

export function importReader(connection: Statements): ImportReader {
  return {
    async findState(source) {
      return connection.get<{ state: string }>('SELECT state FROM import_source WHERE name = ?', source)?.state;
    },
    async listKnown(source, kind, keys) {
      return connection.all<ImportedItem>(
        `SELECT imported_item.key AS key, target, version, digest FROM json_each(?) AS wanted
         CROSS JOIN imported_item ON source = ? AND kind = ? AND imported_item.key = wanted.value`,
        JSON.stringify(keys),
        source,
        kind,
      );
    },
    async listAfter(source, kind, afterKey, limit) {
      return connection.all<ImportedItem>(
        `SELECT ${columns} FROM imported_item WHERE source = ? AND kind = ? AND key > ? ORDER BY key LIMIT ?`,
        source,
        kind,
        afterKey,
        limit,
      );
    },
  };
}

export function importStore(connection: Statements): ImportStore {
  return {
    ...importReader(connection),
    async putState(source, state) {
      connection.run('INSERT OR REPLACE INTO import_source (name, state) VALUES (?, ?)', source, state);
    },
    async putItems(source, kind, items) {
      connection.run(
        `INSERT OR REPLACE INTO imported_item (source, kind, ${columns})
         SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`,
        source,
        kind,
        JSON.stringify(items.map(({ key, target, version, digest }) => [key, target, version, digest])),
      );
    },
  };
}
