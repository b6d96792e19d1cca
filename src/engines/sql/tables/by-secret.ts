import type { AccountKey } from '../../../auth/accounts.js';
import { type DocumentRow, parseIntact } from '../../stored-document.js';
import type { Statements } from '../statements.port.js';

interface Row extends DocumentRow {
  readonly id: string;
}

/**
 * Reads sessions or tokens by the hash of their secret, by id, or by account. A damaged one is reported and counts as
 * absent: a flipped bit must not grant access.
 */
export function readerBySecret<T>(connection: Statements, table: 'session' | 'api_token') {
  const kind = table === 'session' ? 'session' : 'token';
  const parse = (row: Row) => parseIntact<T>(connection, `${kind} ${row.id}`, row);
  const findBy = async (column: 'token_hash' | 'id', value: string): Promise<T | undefined> => {
    const row = await connection.get<Row>(`SELECT id, document, crc FROM ${table} WHERE ${column} = ?`, value);
    return row && parse(row);
  };
  return {
    find: (tokenHash: string) => findBy('token_hash', tokenHash),
    findById: (id: string) => findBy('id', id),
    async list(owner: AccountKey | undefined, limit: number): Promise<T[]> {
      const condition = owner ? 'WHERE user_name = ? AND scheme = ?' : '';
      const rows = await connection.all<Row>(
        `SELECT id, document, crc FROM ${table} ${condition} ORDER BY created_ms DESC, id LIMIT ?`,
        ...(owner ? [owner.userName, owner.scheme] : []),
        limit,
      );
      return rows.flatMap((row) => parse(row) ?? []);
    },
  };
}
