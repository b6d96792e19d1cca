import type { Statements } from '../database/connection.js';

interface Row {
  document: string;
}

/** Reads sessions or tokens: by the hash of their secret, by their id, or by their user. */
export function readerBySecret<T>(connection: Statements, table: 'session' | 'api_token') {
  const parse = ({ document }: Row) => JSON.parse(document) as T;
  const findBy = (column: 'token_hash' | 'id', value: string): T | undefined => {
    const row = connection.get<Row>(`SELECT document FROM ${table} WHERE ${column} = ?`, value);
    return row && parse(row);
  };
  return {
    find: async (tokenHash: string) => findBy('token_hash', tokenHash),
    findById: async (id: string) => findBy('id', id),
    async list(userName: string | undefined, limit: number): Promise<T[]> {
      const [condition, values] = userName === undefined ? ['', []] : ['WHERE user_name = ?', [userName]];
      const order = 'ORDER BY created_ms DESC, id LIMIT ?';
      return connection.all<Row>(`SELECT document FROM ${table} ${condition} ${order}`, ...values, limit).map(parse);
    },
  };
}
