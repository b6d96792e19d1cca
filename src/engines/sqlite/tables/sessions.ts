import type { Session, SessionReader, SessionStore } from '../../../auth/session-store.port.js';
import { checksumOf } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { readerBySecret } from './by-secret.js';

export function sessionReader(connection: Statements): SessionReader {
  return {
    ...readerBySecret<Session>(connection, 'session'),
    async count(nowMs) {
      const row = connection.get<{ count: number }>(
        'SELECT count(*) AS count FROM session WHERE expires_ms > ?',
        nowMs,
      );
      return row?.count ?? 0;
    },
  };
}

export function sessionStore(connection: Statements): SessionStore {
  return {
    ...sessionReader(connection),
    async put(session) {
      const document = JSON.stringify(session);
      connection.run(
        `INSERT OR REPLACE INTO session (token_hash, id, expires_ms, created_ms, user_name, document, crc)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        session.tokenHash,
        session.id,
        Math.min(session.expiresMs, session.endsMs),
        session.createdMs,
        session.account.userName,
        document,
        checksumOf(document),
      );
    },
    async remove(tokenHash) {
      return connection.run('DELETE FROM session WHERE token_hash = ?', tokenHash) > 0;
    },
    async removeExpired(nowMs) {
      return connection.run('DELETE FROM session WHERE expires_ms <= ?', nowMs);
    },
  };
}
