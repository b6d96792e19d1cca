import type { PreferenceReader, PreferenceStore, SavedSearch } from '../../../preferences/preference-store.port.js';
import { checksumOf, type DocumentRow, parseIntact, readDocument } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { type ListKey, listInSlices } from './list-slices.js';

export function preferenceReader(connection: Statements): PreferenceReader {
  return {
    async findSettings({ scheme, userName }) {
      const row = connection.get<DocumentRow<Uint8Array> & { version: number }>(
        'SELECT version, CAST(document AS BLOB) AS document, crc FROM user_settings WHERE user_name = ? AND scheme = ?',
        userName,
        scheme,
      );
      return row && { version: row.version, json: readDocument(connection, `settings of ${userName}`, row) };
    },
    async findSearch(id) {
      const row = connection.get<DocumentRow>('SELECT document, crc FROM saved_search WHERE id = ?', id);
      return row && parseIntact<SavedSearch>(connection, `saved search ${id}`, row);
    },
    async countSearches({ scheme, userName }) {
      return (
        connection.get<{ count: number }>(
          'SELECT count(*) AS count FROM saved_search WHERE user_name = ? AND scheme = ?',
          userName,
          scheme,
        )?.count ?? 0
      );
    },
    listSearches({ scheme, userName }) {
      return listInSlices<number, SavedSearch>(
        0,
        (number, limit) =>
          connection.all<ListKey<number>>(
            `SELECT number AS key, octet_length(document) AS bytes FROM saved_search WHERE number IN (
               SELECT number FROM saved_search WHERE user_name = ?1 AND scheme = ?2 AND number > ?3
               UNION SELECT number FROM saved_search WHERE is_shared = 1 AND number > ?3 ORDER BY number LIMIT ?4
             ) ORDER BY number`,
            userName,
            scheme,
            number,
            limit,
          ),
        (numbers) =>
          connection
            .all<DocumentRow & { number: number }>(
              `SELECT number, document, crc FROM saved_search
               WHERE number IN (SELECT value FROM json_each(?3)) AND (user_name = ?1 AND scheme = ?2 OR is_shared = 1)
               ORDER BY number`,
              userName,
              scheme,
              JSON.stringify(numbers),
            )
            .flatMap((row) => parseIntact<SavedSearch>(connection, `saved search number ${row.number}`, row) ?? []),
      );
    },
  };
}

export function preferenceStore(connection: Statements): PreferenceStore {
  return {
    ...preferenceReader(connection),
    async putSettings({ scheme, userName }, json) {
      const row = connection.get<{ version: number }>(
        `INSERT INTO user_settings (user_name, scheme, version, document, crc) VALUES (?, ?, 1, CAST(? AS TEXT), ?)
         ON CONFLICT (user_name, scheme) DO UPDATE SET version = version + 1, document = excluded.document,
           crc = excluded.crc
         RETURNING version`,
        userName,
        scheme,
        json,
        checksumOf(json),
      );
      if (!row) throw new Error('settings were not stored');
      return { version: row.version, json };
    },
    async putSearch(search) {
      const document = JSON.stringify(search);
      connection.run(
        `INSERT INTO saved_search (id, scheme, user_name, is_shared, document, crc) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET is_shared = excluded.is_shared, document = excluded.document,
           crc = excluded.crc`,
        search.id,
        search.owner.scheme,
        search.owner.userName,
        search.shared ? 1 : 0,
        document,
        checksumOf(document),
      );
    },
    async removeSearch(id) {
      return connection.run('DELETE FROM saved_search WHERE id = ?', id) > 0;
    },
  };
}
