import type { PreferenceReader, PreferenceStore, SavedSearch } from '../../../preferences/preference-store.port.js';
import { checksumOf, type DocumentRow, parseIntact, readDocument } from '../../stored-document.js';
import type { Statements } from '../database/statements.js';
import { boundedPage, listInPages } from './pages.js';

interface SearchRow extends DocumentRow {
  readonly number: number;
}

export function preferenceReader(connection: Statements): PreferenceReader {
  return {
    async findSettings({ scheme, userName }) {
      const row = await connection.get<DocumentRow & { version: number }>(
        'SELECT version, document, crc FROM user_settings WHERE user_name = $1 AND scheme = $2',
        ...[userName, scheme],
      );
      return (
        row && { version: row.version, json: Buffer.from(readDocument(connection, `settings of ${userName}`, row)) }
      );
    },
    async findSearch(id) {
      const row = await connection.get<DocumentRow>('SELECT document, crc FROM saved_search WHERE id = $1', id);
      return row && parseIntact<SavedSearch>(connection, `saved search ${id}`, row);
    },
    async countSearches({ scheme, userName }) {
      const sql = 'SELECT count(*) AS count FROM saved_search WHERE user_name = $1 AND scheme = $2';
      return (await connection.get<{ count: number }>(sql, userName, scheme))?.count ?? 0;
    },
    async *listSearches({ scheme, userName }) {
      const sql = boundedPage(
        `SELECT number, document, crc FROM saved_search
         WHERE ((user_name = $1 AND scheme = $2) OR is_shared) AND number > $3 ORDER BY number LIMIT $4`,
        'number',
      );
      const rowsAfter = (number: number, limit: number) =>
        connection.all<SearchRow>(sql, userName, scheme, number, limit);
      for await (const row of listInPages(0, ({ number }) => number, rowsAfter)) {
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
      const row = await connection.get<{ version: number }>(
        `INSERT INTO user_settings (user_name, scheme, version, document, crc) VALUES ($1, $2, 1, $3, $4)
         ON CONFLICT (user_name, scheme) DO UPDATE SET version = user_settings.version + 1,
           document = excluded.document, crc = excluded.crc
         RETURNING version`,
        ...[userName, scheme, json, checksumOf(json)],
      );
      if (!row) throw new Error('settings were not stored');
      return { version: row.version, json };
    },
    async putSearch(search) {
      const document = JSON.stringify(search);
      const { id, owner, shared } = search;
      await connection.run(
        `INSERT INTO saved_search (id, scheme, user_name, is_shared, document, crc) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (id) DO UPDATE SET is_shared = excluded.is_shared, document = excluded.document,
           crc = excluded.crc`,
        ...[id, owner.scheme, owner.userName, shared, document, checksumOf(document)],
      );
    },
    async removeSearch(id) {
      return (await connection.run('DELETE FROM saved_search WHERE id = $1', id)) > 0;
    },
  };
}
