import type { ImportedItem, ImportReader, ImportStore } from '../../../imports/import-store.port.js';
import type { Statements } from '../database/statements.js';

const columns = 'key, target, version, digest';

export function importReader(connection: Statements): ImportReader {
  return {
    async findState(source) {
      const sql = 'SELECT state FROM import_source WHERE name = $1';
      return (await connection.get<{ state: string }>(sql, source))?.state;
    },
    async listKnown(source, kind, keys) {
      return connection.all<ImportedItem>(
        `SELECT ${columns} FROM imported_item WHERE source = $1 AND kind = $2 AND key = ANY($3)`,
        ...[source, kind, keys],
      );
    },
    async listAfter(source, kind, afterKey, limit) {
      return connection.all<ImportedItem>(
        `SELECT ${columns} FROM imported_item WHERE source = $1 AND kind = $2 AND key > $3 ORDER BY key LIMIT $4`,
        ...[source, kind, afterKey, limit],
      );
    },
  };
}

export function importStore(connection: Statements): ImportStore {
  return {
    ...importReader(connection),
    async putState(source, state) {
      await connection.run(
        'INSERT INTO import_source (name, state) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET state = excluded.state',
        ...[source, state],
      );
    },
    async putItems(source, kind, items) {
      await connection.run(
        `INSERT INTO imported_item (source, kind, ${columns})
         SELECT $1, $2, item.* FROM unnest($3::text[], $4::text[], $5::integer[], $6::text[]) AS item
         ON CONFLICT (source, kind, key)
         DO UPDATE SET target = excluded.target, version = excluded.version, digest = excluded.digest`,
        ...[source, kind],
        items.map(({ key }) => key),
        items.map(({ target }) => target),
        items.map(({ version }) => version),
        items.map(({ digest }) => digest),
      );
    },
  };
}
