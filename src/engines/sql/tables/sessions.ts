import type { Session, SessionReader, SessionStore } from '../../../auth/session-store.port.js';
import { checksumOf } from '../../stored-document.js';
import { accountColumns } from '../account-columns.js';
import { upsert } from '../dialect.js';
import type { Statements } from '../statements.port.js';
import { readerBySecret } from './by-secret.js';

const put = upsert('session');

export function sessionReader(connection: Statements): SessionReader {
  return {
    ...readerBySecret<Session>(connection, 'session'),
    async count(nowMs) {
      const sql = 'SELECT count(*) AS count FROM session WHERE expires_ms > ?';
      return (await connection.get<{ count: number }>(sql, nowMs))?.count ?? 0;
    },
  };
}

export function sessionStore(connection: Statements): SessionStore {
  return {
    ...sessionReader(connection),
    async put(session) {
      const document = JSON.stringify(session);
      const { tokenHash, id, createdMs, account } = session;
      const expiresMs = Math.min(session.expiresMs, session.endsMs);
      const row = { token_hash: tokenHash, id, expires_ms: expiresMs, created_ms: createdMs };
      await connection.run(...put({ ...row, ...accountColumns(account), document, crc: checksumOf(document) }));
    },
    async remove(tokenHash) {
      return (await connection.run('DELETE FROM session WHERE token_hash = ?', tokenHash)) > 0;
    },
    async removeExpired(nowMs) {
      return connection.run('DELETE FROM session WHERE expires_ms <= ?', nowMs);
    },
  };
}
