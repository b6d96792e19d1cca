import type { ApiToken, TokenReader, TokenStore } from '../../auth/token-store.port.js';
import type { Connection } from './database.js';

interface Row {
  document: string;
}

export function tokenReader(connection: Connection): TokenReader {
  return {
    async find(tokenHash) {
      const row = connection.get<Row>('SELECT document FROM api_token WHERE token_hash = ?', tokenHash);
      return row && (JSON.parse(row.document) as ApiToken);
    },
    async findById(id) {
      const row = connection.get<Row>('SELECT document FROM api_token WHERE id = ?', id);
      return row && (JSON.parse(row.document) as ApiToken);
    },
    async list(userName, limit) {
      return connection
        .all<Row>(
          `SELECT document FROM api_token ${userName === undefined ? '' : 'WHERE user_name = ?'}
           ORDER BY created_ms DESC, id LIMIT ?`,
          ...(userName === undefined ? [] : [userName]),
          limit,
        )
        .map(({ document }) => JSON.parse(document) as ApiToken);
    },
  };
}

export function tokenStore(connection: Connection): TokenStore {
  return {
    ...tokenReader(connection),
    async put(token) {
      connection.run(
        'INSERT OR REPLACE INTO api_token (id, token_hash, created_ms, user_name, document) VALUES (?, ?, ?, ?, ?)',
        token.id,
        token.tokenHash,
        token.createdMs,
        token.account.userName,
        JSON.stringify(token),
      );
    },
    async remove(id) {
      return connection.run('DELETE FROM api_token WHERE id = ?', id) > 0;
    },
  };
}
