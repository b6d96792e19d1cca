import type { Session, SessionReader, SessionStore } from '../../auth/session-store.port.js';
import type { Connection } from './database.js';

export function sessionReader(connection: Connection): SessionReader {
  return {
    async find(tokenHash) {
      const row = connection.get<{ document: string }>('SELECT document FROM session WHERE token_hash = ?', tokenHash);
      return row && (JSON.parse(row.document) as Session);
    },
  };
}

export function sessionStore(connection: Connection): SessionStore {
  return {
    ...sessionReader(connection),
    async put(session) {
      connection.run(
        'INSERT OR REPLACE INTO session (token_hash, expires_ms, document) VALUES (?, ?, ?)',
        session.tokenHash,
        session.expiresMs,
        JSON.stringify(session),
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
