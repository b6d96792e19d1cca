import type { ImportedItem, ImportReader, ImportStore } from '../../../imports/import-store.port.js';
import { toStorable } from '../../stored-rows.js';
import { encodeRecords, upsert } from '../dialect.js';
import type { Statements } from '../statements.port.js';

const columns = 'key, target, version, digest';
const putState = upsert('import_source');

export function importReader(connection: Statements): ImportReader {
  return {
    async findState(source) {
      const sql = 'SELECT state FROM import_source WHERE name = ?';
      return (await connection.get<{ state: string }>(sql, source))?.state;
    },
    async listKnown(source, kind, keys) {
      const given = new Map(keys.map((key) => [toStorable(key), key]));
      const sql = `SELECT ${columns} FROM imported_item
         WHERE source = ? AND kind = ? AND ${connection.dialect.isIn('key', 'text')}`;
      const found = await connection.all<ImportedItem>(sql, source, kind, [...given.keys()]);
      return found.map((item) => ({ ...item, key: given.get(item.key) ?? item.key }));
    },
    async listAfter(source, kind, afterKey, limit) {
      const sql = `SELECT ${columns} FROM imported_item WHERE source = ? AND kind = ? AND key > ? ORDER BY key LIMIT ?`;
      return connection.all<ImportedItem>(sql, source, kind, afterKey, limit);
    },
  };
}

export function importStore(connection: Statements): ImportStore {
  const records = connection.dialect.records('item', {
    key: 'text',
    target: 'text',
    version: 'integer',
    digest: 'text',
  });
  return {
    ...importReader(connection),
    async putState(source, state) {
      await connection.run(...putState({ name: source, state }));
    },
    async putItems(source, kind, items) {
      const rows = items.map(({ key, target, version, digest }) => ({ key, target, version, digest }));
      const sql = `INSERT INTO imported_item (source, kind, ${columns}) SELECT ?, ?, ${columns} FROM ${records} WHERE true
         ON CONFLICT (source, kind, key)
         DO UPDATE SET target = excluded.target, version = excluded.version, digest = excluded.digest`;
      await connection.run(sql, source, kind, encodeRecords(rows));
    },
  };
}
