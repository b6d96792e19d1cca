import type { Session, SessionReader, SessionStore } from '../../../auth/session-store.port.js';
import { checksumOf } from '../../stored-document.js';
import type { Statements } from '../database/statements.js';
import { readerBySecret } from './by-secret.js';

export function sessionReader(connection: Statements): SessionReader {
  return {
    ...readerBySecret<Session>(connection, 'session'),
    async count(nowMs) {
      const sql = 'SELECT count(*)::int AS count FROM session WHERE expires_ms > $1';
      return (await connection.get<{ count: number }>(sql, nowMs))?.count ?? 0;
    },
  };
}

export function sessionStore(connection: Statements): SessionStore {
  return {
    ...sessionReader(connection),
    async put(session) {
      const document = JSON.stringify(session);
      const { scheme, userName } = session.account;
      await connection.run(
        `INSERT INTO session (token_hash, id, expires_ms, created_ms, scheme, user_name, document, crc)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (token_hash) DO UPDATE SET id = excluded.id, expires_ms = excluded.expires_ms,
           created_ms = excluded.created_ms, scheme = excluded.scheme, user_name = excluded.user_name,
           document = excluded.document, crc = excluded.crc`,
        ...[session.tokenHash, session.id, Math.min(session.expiresMs, session.endsMs), session.createdMs],
        ...[scheme, userName, document, checksumOf(document)],
      );
    },
    async remove(tokenHash) {
      return (await connection.run('DELETE FROM session WHERE token_hash = $1', tokenHash)) > 0;
    },
    async removeExpired(nowMs) {
      return connection.run('DELETE FROM session WHERE expires_ms <= $1', nowMs);
    },
  };
}
