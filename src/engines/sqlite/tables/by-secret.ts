import type { AccountKey } from '../../../auth/accounts.js';
import { type DocumentRow, parseIntact } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';

interface Row extends DocumentRow {
  readonly id: string;
}

/**
 * Reads sessions or tokens: by the hash of their secret, by their id, or by their account. A damaged one is reported, and
 * counts as absent: a flipped bit must not give rights.
 */
export function readerBySecret<T>(connection: Statements, table: 'session' | 'api_token') {
  const kind = table === 'session' ? 'session' : 'token';
  const parse = (row: Row) => parseIntact<T>(connection, `${kind} ${row.id}`, row);
  const findBy = (column: 'token_hash' | 'id', value: string): T | undefined => {
    const row = connection.get<Row>(`SELECT id, document, crc FROM ${table} WHERE ${column} = ?`, value);
    return row && parse(row);
  };
  return {
    find: async (tokenHash: string) => findBy('token_hash', tokenHash),
    findById: async (id: string) => findBy('id', id),
    async list(owner: AccountKey | undefined, limit: number): Promise<T[]> {
      const [condition, values] = owner
        ? [
            `WHERE user_name = ? AND iif(json_valid(document), document ->> '$.account.scheme', '') = ?`,
            [owner.userName, owner.scheme],
          ]
        : ['', []];
      const order = 'ORDER BY created_ms DESC, id LIMIT ?';
      return connection
        .all<Row>(`SELECT id, document, crc FROM ${table} ${condition} ${order}`, ...values, limit)
        .flatMap((row) => parse(row) ?? []);
    },
  };
}
