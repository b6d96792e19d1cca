import type { AccountKey } from '../../../auth/accounts.js';
import type { Statements } from '../database/connection.js';

interface Row {
  document: string;
}

/** Reads sessions or tokens: by the hash of their secret, by their id, or by their account. */
export function readerBySecret<T>(connection: Statements, table: 'session' | 'api_token') {
  const parse = ({ document }: Row) => JSON.parse(document) as T;
  const findBy = (column: 'token_hash' | 'id', value: string): T | undefined => {
    const row = connection.get<Row>(`SELECT document FROM ${table} WHERE ${column} = ?`, value);
    return row && parse(row);
  };
  return {
    find: async (tokenHash: string) => findBy('token_hash', tokenHash),
    findById: async (id: string) => findBy('id', id),
    async list(owner: AccountKey | undefined, limit: number): Promise<T[]> {
      const [condition, values] = owner
        ? ["WHERE user_name = ? AND document ->> '$.account.scheme' = ?", [owner.userName, owner.scheme]]
        : ['', []];
      const order = 'ORDER BY created_ms DESC, id LIMIT ?';
      return connection.all<Row>(`SELECT document FROM ${table} ${condition} ${order}`, ...values, limit).map(parse);
    },
  };
}
