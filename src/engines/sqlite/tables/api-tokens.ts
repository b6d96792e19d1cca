import type { ApiToken, TokenReader, TokenStore } from '../../../auth/token-store.port.js';
import { checksumOf } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { readerBySecret } from './by-secret.js';

export function tokenReader(connection: Statements): TokenReader {
  return readerBySecret<ApiToken>(connection, 'api_token');
}

export function tokenStore(connection: Statements): TokenStore {
  return {
    ...tokenReader(connection),
    async put(token) {
      const document = JSON.stringify(token);
      connection.run(
        `INSERT OR REPLACE INTO api_token (id, token_hash, created_ms, user_name, document, crc)
         VALUES (?, ?, ?, ?, ?, ?)`,
        token.id,
        token.tokenHash,
        token.createdMs,
        token.account.userName,
        document,
        checksumOf(document),
      );
    },
    async remove(id) {
      return connection.run('DELETE FROM api_token WHERE id = ?', id) > 0;
    },
  };
}
