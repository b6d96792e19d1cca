import type { Session, SessionReader, SessionStore } from '../../auth/session-store.port.js';
import type { Connection } from './database.js';

interface Row {
  document: string;
}

export function sessionReader(connection: Connection): SessionReader {
  return {
    async find(tokenHash) {
      const row = connection.get<Row>('SELECT document FROM session WHERE token_hash = ?', tokenHash);
      return row && (JSON.parse(row.document) as Session);
    },
    async findById(id) {
      const row = connection.get<Row>('SELECT document FROM session WHERE id = ?', id);
      return row && (JSON.parse(row.document) as Session);
    },
    async list(userName, limit) {
      return connection
        .all<Row>(
          `SELECT document FROM session ${userName === undefined ? '' : 'WHERE user_name = ?'}
           ORDER BY created_ms DESC, token_hash LIMIT ?`,
          ...(userName === undefined ? [] : [userName]),
          limit,
        )
        .map(({ document }) => JSON.parse(document) as Session);
    },
  };
}

export function sessionStore(connection: Connection): SessionStore {
  return {
    ...sessionReader(connection),
    async put(session) {
      connection.run(
        `INSERT OR REPLACE INTO session (token_hash, id, expires_ms, created_ms, user_name, document)
         VALUES (?, ?, ?, ?, ?, ?)`,
        session.tokenHash,
        session.id,
        Math.min(session.expiresMs, session.endsMs),
        session.createdMs,
        session.account.userName,
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
