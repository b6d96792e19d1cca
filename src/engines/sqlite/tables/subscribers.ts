import {
  maxDeadLetters,
  type SubscriberReader,
  type SubscriberStore,
} from '../../../notifications/subscribers/subscriber-store.port.js';
import { checksumOf, listIntact } from '../../stored-document.js';
import {
  type DeadLetterRow,
  type DeferredRow,
  encodeDeadLetter,
  encodeDeferred,
  firstIntact,
  type StateRow,
  toDeadLetter,
  toDeferred,
  toState,
} from '../../subscriber-documents.js';
import type { Statements } from '../database/connection.js';

export function subscriberReader(connection: Statements): SubscriberReader {
  return {
    ...deadLetterReader(connection),
    ...deferredReader(connection),
    async find(name) {
      const row = connection.get<StateRow>('SELECT * FROM follower WHERE name = ?', name);
      return row && toState(connection, row);
    },
    async list() {
      return connection.all<StateRow>('SELECT * FROM follower ORDER BY name').map((row) => toState(connection, row));
    },
  };
}

function deadLetterReader(connection: Statements) {
  const damaged = new Set<number>();
  return {
    async findDeadLetter(name, id) {
      const sql = 'SELECT * FROM dead_letter WHERE follower = ? AND id = ?';
      const row = connection.get<DeadLetterRow>(sql, name, id);
      return row && toDeadLetter(connection, row);
    },
    async listDeadLetters(name, limit, beforeId = Number.MAX_SAFE_INTEGER) {
      const sql = 'SELECT * FROM dead_letter WHERE follower = ? AND id < ? ORDER BY id DESC LIMIT ?';
      return listIntact(
        { beforeId, limit },
        (position) => connection.all<DeadLetterRow>(sql, name, position.beforeId, position.limit),
        (row) => toDeadLetter(connection, row),
      );
    },
    async countDeadLetters(name) {
      const sql = 'SELECT count(*) AS count FROM dead_letter WHERE follower = ?';
      return connection.get<{ count: number }>(sql, name)?.count ?? 0;
    },
    async countDroppedDeadLetters(name) {
      const sql = 'SELECT count FROM dropped_letters WHERE follower = ?';
      return connection.get<{ count: number }>(sql, name)?.count ?? 0;
    },
    async findDeadLetterToRetry(name) {
      const sql = `SELECT * FROM dead_letter
        WHERE follower = ? AND again = 1 AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?`;
      return firstIntact(
        damaged,
        (known, limit) => connection.all<DeadLetterRow & Record<string, unknown>>(sql, name, known, limit),
        (row) => toDeadLetter(connection, row),
      );
    },
  } satisfies Partial<SubscriberReader>;
}

export function subscriberStore(connection: Statements): SubscriberStore {
  return {
    ...subscriberReader(connection),
    ...deadLetterWriter(connection),
    ...deferredWriter(connection),
    async put(state) {
      const document = JSON.stringify(state);
      connection.run(
        'INSERT OR REPLACE INTO follower (name, sequence, document, crc) VALUES (?, ?, ?, ?)',
        state.name,
        state.sequence,
        document,
        checksumOf(document),
      );
    },
    async remove(name) {
      connection.run('DELETE FROM dead_letter WHERE follower = ?', name);
      connection.run('DELETE FROM deferred_delivery WHERE follower = ?', name);
      connection.run('DELETE FROM dropped_letters WHERE follower = ?', name);
      return connection.run('DELETE FROM follower WHERE name = ?', name) > 0;
    },
  };
}

function deadLetterWriter(connection: Statements) {
  return {
    async addDeadLetter(name, letter) {
      const document = encodeDeadLetter(letter);
      connection.run(
        'INSERT INTO dead_letter (follower, again, document, crc) VALUES (?, ?, ?, ?)',
        name,
        letter.retryRequested ? 1 : 0,
        document,
        checksumOf(document),
      );
      const dropped = connection.run(
        'DELETE FROM dead_letter WHERE follower = ?1 AND id <= (SELECT id FROM dead_letter WHERE follower = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)',
        name,
        maxDeadLetters,
      );
      if (dropped === 0) return;
      connection.run(
        'INSERT INTO dropped_letters VALUES (?, ?) ON CONFLICT (follower) DO UPDATE SET count = count + excluded.count',
        name,
        dropped,
      );
    },
    async changeDeadLetter(name, letter) {
      const document = encodeDeadLetter(letter);
      const changed = connection.run(
        'UPDATE dead_letter SET again = ?, document = ?, crc = ? WHERE follower = ? AND id = ?',
        letter.retryRequested ? 1 : 0,
        document,
        checksumOf(document),
        name,
        letter.id,
      );
      return changed > 0;
    },
    async removeDeadLetter(name, id) {
      return connection.run('DELETE FROM dead_letter WHERE follower = ? AND id = ?', name, id) > 0;
    },
  } satisfies Partial<SubscriberStore>;
}

function deferredReader(connection: Statements) {
  const damaged = new Set<number>();
  return {
    async findNextDeferred(name) {
      const sql = `SELECT id, document, crc FROM deferred_delivery
        WHERE follower = ? AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY next_attempt_ms, id LIMIT ?`;
      return firstIntact(
        damaged,
        (known, limit) => connection.all<DeferredRow & Record<string, unknown>>(sql, name, known, limit),
        (row) => toDeferred(connection, row),
      );
    },
    async countDeferred(name) {
      const sql = 'SELECT count(*) AS count FROM deferred_delivery WHERE follower = ?';
      return connection.get<{ count: number }>(sql, name)?.count ?? 0;
    },
  } satisfies Partial<SubscriberReader>;
}

function deferredWriter(connection: Statements) {
  return {
    async addDeferred(name, deferred) {
      const document = encodeDeferred(deferred);
      connection.run(
        'INSERT INTO deferred_delivery (follower, next_attempt_ms, document, crc) VALUES (?, ?, ?, ?)',
        name,
        Math.round(deferred.nextAttemptMs),
        document,
        checksumOf(document),
      );
    },
    async changeDeferred(name, deferred) {
      const document = encodeDeferred(deferred);
      const changed = connection.run(
        'UPDATE deferred_delivery SET next_attempt_ms = ?, document = ?, crc = ? WHERE follower = ? AND id = ?',
        Math.round(deferred.nextAttemptMs),
        document,
        checksumOf(document),
        name,
        deferred.id,
      );
      return changed > 0;
    },
    async removeDeferred(name, id) {
      return connection.run('DELETE FROM deferred_delivery WHERE follower = ? AND id = ?', name, id) > 0;
    },
  } satisfies Partial<SubscriberStore>;
}
