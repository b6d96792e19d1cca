import type { ApiToken, TokenReader, TokenStore } from '../../../auth/token-store.port.js';
import { checksumOf } from '../../stored-document.js';
import { upsert } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import { readerBySecret } from './by-secret.js';

const put = upsert('api_token', ['id'], ['token_hash', 'created_ms', 'scheme', 'user_name', 'document', 'crc']);

export function tokenReader(connection: Statements): TokenReader {
  return readerBySecret<ApiToken>(connection, 'api_token');
}

export function tokenStore(connection: Statements): TokenStore {
  return {
    ...tokenReader(connection),
    async put(token) {
      const document = JSON.stringify(token);
      const { scheme, userName } = token.account;
      const values = [token.id, token.tokenHash, token.createdMs, scheme, userName, document, checksumOf(document)];
      await connection.run(put, ...values);
    },
    async remove(id) {
      return (await connection.run('DELETE FROM api_token WHERE id = ?', id)) > 0;
    },
  };
}
