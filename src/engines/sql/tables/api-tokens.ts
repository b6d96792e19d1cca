import type { ApiToken, TokenReader, TokenStore } from '../../../auth/token-store.port.js';
import { checksumOf } from '../../stored-document.js';
import { accountColumns } from '../account-columns.js';
import { upsert } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import { readerBySecret } from './by-secret.js';

const put = upsert('api_token');

export function tokenReader(connection: Statements): TokenReader {
  return readerBySecret<ApiToken>(connection, 'api_token');
}

export function tokenStore(connection: Statements): TokenStore {
  return {
    ...tokenReader(connection),
    async put(token) {
      const document = JSON.stringify(token);
      const { id, tokenHash, createdMs, account } = token;
      const row = { id, token_hash: tokenHash, created_ms: createdMs, ...accountColumns(account) };
      await connection.run(...put({ ...row, document, crc: checksumOf(document) }));
    },
    async remove(id) {
      return (await connection.run('DELETE FROM api_token WHERE id = ?', id)) > 0;
    },
  };
}
