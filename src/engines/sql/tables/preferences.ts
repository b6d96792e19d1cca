import type { PreferenceReader, PreferenceStore, SavedSearch } from '../../../preferences/preference-store.port.js';
import { checksumOf, type DocumentRow, parseIntact, readDocument } from '../../stored-document.js';
import { accountColumns } from '../account-columns.js';
import { insert, toBytes } from '../dialect.js';
import { listInSlices } from '../list-slices.js';
import type { Statements } from '../statements.port.js';

interface SettingsRow extends DocumentRow<string | Uint8Array> {
  readonly version: number;
}

interface SearchRow extends DocumentRow {
  readonly number: number;
}

const putSearch = insert(
  'saved_search',
  'ON CONFLICT (id) DO UPDATE SET is_shared = excluded.is_shared, document = excluded.document, crc = excluded.crc',
);

export function preferenceReader(connection: Statements): PreferenceReader {
  const { dialect } = connection;
  return {
    async findSettings({ scheme, userName }) {
      const sql = `SELECT version, ${dialect.bytesOf('document')} AS document, crc FROM user_settings
         WHERE user_name = ? AND scheme = ?`;
      const row = await connection.get<SettingsRow>(sql, userName, scheme);
      return row && { revision: row.version, json: toBytes(readDocument(connection, `settings of ${userName}`, row)) };
    },
    async findSearch(id) {
      const row = await connection.get<DocumentRow>('SELECT document, crc FROM saved_search WHERE id = ?', id);
      return row && parseIntact<SavedSearch>(connection, `saved search ${id}`, row);
    },
    async countSearches({ scheme, userName }) {
      const sql = 'SELECT count(*) AS count FROM saved_search WHERE user_name = ? AND scheme = ?';
      return (await connection.get<{ count: number }>(sql, userName, scheme))?.count ?? 0;
    },
    async *listSearches({ scheme, userName }) {
      const isShared = dialect.isSet('is_shared');
      const rows = listInSlices<SearchRow, number>(connection, {
        values: [userName, scheme],
        first: 0,
        keysAfter: `SELECT number AS key, octet_length(document) AS bytes FROM saved_search WHERE number IN (
            SELECT number FROM saved_search WHERE user_name = ?1 AND scheme = ?2 AND number > ?3
            UNION SELECT number FROM saved_search WHERE ${isShared} AND number > ?3 ORDER BY number LIMIT ?4
          ) ORDER BY number`,
        rows: `SELECT number, document, crc FROM saved_search
          WHERE ${dialect.isIn('number', 'bigint', '?3')} AND (user_name = ?1 AND scheme = ?2 OR ${isShared})
          ORDER BY number`,
      });
      for await (const row of rows) {
        const search = parseIntact<SavedSearch>(connection, `saved search number ${row.number}`, row);
        if (search) yield search;
      }
    },
  };
}

export function preferenceStore(connection: Statements): PreferenceStore {
  return {
    ...preferenceReader(connection),
    async putSettings({ scheme, userName }, json) {
      const sql = `INSERT INTO user_settings (user_name, scheme, version, document, crc)
         VALUES (?, ?, 1, ${connection.dialect.textOf('?')}, ?)
         ON CONFLICT (user_name, scheme) DO UPDATE SET version = user_settings.version + 1,
           document = excluded.document, crc = excluded.crc
         RETURNING version`;
      const row = await connection.get<{ version: number }>(sql, userName, scheme, json, checksumOf(json));
      if (!row) throw new Error('settings were not stored');
      return { revision: row.version, json };
    },
    async putSearch(search) {
      const document = JSON.stringify(search);
      const { id, owner, shared } = search;
      const row = { id, ...accountColumns(owner), is_shared: shared, document, crc: checksumOf(document) };
      await connection.run(...putSearch(row));
    },
    async removeSearch(id) {
      return (await connection.run('DELETE FROM saved_search WHERE id = ?', id)) > 0;
    },
  };
}
