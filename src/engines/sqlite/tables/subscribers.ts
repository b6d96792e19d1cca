import {
  type DeadLetter,
  type FollowerReader,
  type FollowerState,
  type FollowerStore,
  maxLetters,
  type StoredDeadLetter,
} from '../../../notifications/subscribers/subscriber-store.port.js';
import type { Connection } from '../database/connection.js';

interface LetterRow {
  id: number;
  again: number;
  document: string;
}

export function followerReader(connection: Connection): FollowerReader {
  const letter = (sql: string, ...values: (string | number)[]) => {
    const row = connection.get<LetterRow>(sql, ...values);
    return row && toLetter(row);
  };
  return {
    async find(name) {
      const row = connection.get<{ document: string }>('SELECT document FROM follower WHERE name = ?', name);
      return row && (JSON.parse(row.document) as FollowerState);
    },
    async list() {
      return connection
        .all<{ document: string }>('SELECT document FROM follower ORDER BY name')
        .map(({ document }) => JSON.parse(document) as FollowerState);
    },
    async findLetter(name, id) {
      return letter('SELECT * FROM dead_letter WHERE follower = ? AND id = ?', name, id);
    },
    async listLetters(name, limit, beforeId = Number.MAX_SAFE_INTEGER) {
      return connection
        .all<LetterRow>(
          'SELECT * FROM dead_letter WHERE follower = ? AND id < ? ORDER BY id DESC LIMIT ?',
          name,
          beforeId,
          limit,
        )
        .map(toLetter);
    },
    async countLetters(name) {
      const sql = 'SELECT count(*) AS count FROM dead_letter WHERE follower = ?';
      return connection.get<{ count: number }>(sql, name)?.count ?? 0;
    },
    async countDropped(name) {
      const sql = 'SELECT count FROM dropped_letters WHERE follower = ?';
      return connection.get<{ count: number }>(sql, name)?.count ?? 0;
    },
    async findLetterToTry(name) {
      return letter('SELECT * FROM dead_letter WHERE follower = ? AND again = 1 ORDER BY id LIMIT 1', name);
    },
  };
}

export function followerStore(connection: Connection): FollowerStore {
  return {
    ...followerReader(connection),
    async put(state) {
      connection.run(
        'INSERT OR REPLACE INTO follower (name, sequence, document) VALUES (?, ?, ?)',
        state.name,
        state.sequence,
        JSON.stringify(state),
      );
    },
    async remove(name) {
      connection.run('DELETE FROM dead_letter WHERE follower = ?', name);
      connection.run('DELETE FROM dropped_letters WHERE follower = ?', name);
      return connection.run('DELETE FROM follower WHERE name = ?', name) > 0;
    },
    async addLetter(name, letter) {
      connection.run(
        'INSERT INTO dead_letter (follower, again, document) VALUES (?, ?, ?)',
        name,
        letter.again ? 1 : 0,
        toDocument(letter),
      );
      const dropped = connection.run(
        'DELETE FROM dead_letter WHERE follower = ?1 AND id <= (SELECT id FROM dead_letter WHERE follower = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)',
        name,
        maxLetters,
      );
      if (dropped === 0) return;
      connection.run(
        'INSERT INTO dropped_letters VALUES (?, ?) ON CONFLICT (follower) DO UPDATE SET count = count + excluded.count',
        name,
        dropped,
      );
    },
    async changeLetter(name, letter) {
      const changed = connection.run(
        'UPDATE dead_letter SET again = ?, document = ? WHERE follower = ? AND id = ?',
        letter.again ? 1 : 0,
        toDocument(letter),
        name,
        letter.id,
      );
      return changed > 0;
    },
    async removeLetter(name, id) {
      return connection.run('DELETE FROM dead_letter WHERE follower = ? AND id = ?', name, id) > 0;
    },
  };
}

function toDocument({ deliveryId, changes, attempts, reason, atMs }: DeadLetter): string {
  return JSON.stringify({ deliveryId, changes, attempts, reason, atMs });
}

function toLetter({ id, again, document }: LetterRow): StoredDeadLetter {
  return { ...(JSON.parse(document) as Omit<StoredDeadLetter, 'id' | 'again'>), id, again: again === 1 };
}
