import type { ApiToken, TokenReader, TokenStore } from '../../../auth/token-store.port.js';
import { checksumOf } from '../../stored-document.js';
import type { Statements } from '../database/statements.js';
import { readerBySecret } from './by-secret.js';

export function tokenReader(connection: Statements): TokenReader {
  return readerBySecret<ApiToken>(connection, 'api_token');
}

export function tokenStore(connection: Statements): TokenStore {
  return {
    ...tokenReader(connection),
    async put(token) {
      const document = JSON.stringify(token);
      const { scheme, userName } = token.account;
      await connection.run(
        `INSERT INTO api_token (id, token_hash, created_ms, scheme, user_name, document, crc)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, created_ms = excluded.created_ms,
           scheme = excluded.scheme, user_name = excluded.user_name, document = excluded.document, crc = excluded.crc`,
        ...[token.id, token.tokenHash, token.createdMs, scheme, userName, document, checksumOf(document)],
      );
    },
    async remove(id) {
      return (await connection.run('DELETE FROM api_token WHERE id = $1', id)) > 0;
    },
  };
}
