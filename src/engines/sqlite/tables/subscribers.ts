import {
  type DeadLetter,
  type DeferredDelivery,
  maxDeadLetters,
  type StoredDeadLetter,
  type StoredDeferredDelivery,
  type SubscriberReader,
  type SubscriberState,
  type SubscriberStore,
} from '../../../notifications/subscribers/subscriber-store.port.js';
import type { Statements } from '../database/connection.js';

interface DeadLetterRow {
  id: number;
  again: number;
  document: string;
}

export function subscriberReader(connection: Statements): SubscriberReader {
  return {
    ...deadLetterReader(connection),
    ...deferredReader(connection),
    async find(name) {
      const row = connection.get<{ document: string }>('SELECT document FROM follower WHERE name = ?', name);
      return row && (JSON.parse(row.document) as SubscriberState);
    },
    async list() {
      return connection
        .all<{ document: string }>('SELECT document FROM follower ORDER BY name')
        .map(({ document }) => JSON.parse(document) as SubscriberState);
    },
  };
}

function deadLetterReader(connection: Statements) {
  const findOne = (sql: string, ...values: (string | number)[]) => {
    const row = connection.get<DeadLetterRow>(sql, ...values);
    return row && toDeadLetter(row);
  };
  return {
    async findDeadLetter(name, id) {
      return findOne('SELECT * FROM dead_letter WHERE follower = ? AND id = ?', name, id);
    },
    async listDeadLetters(name, limit, beforeId = Number.MAX_SAFE_INTEGER) {
      return connection
        .all<DeadLetterRow>(
          'SELECT * FROM dead_letter WHERE follower = ? AND id < ? ORDER BY id DESC LIMIT ?',
          name,
          beforeId,
          limit,
        )
        .map(toDeadLetter);
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
      return findOne('SELECT * FROM dead_letter WHERE follower = ? AND again = 1 ORDER BY id LIMIT 1', name);
    },
  } satisfies Partial<SubscriberReader>;
}

export function subscriberStore(connection: Statements): SubscriberStore {
  return {
    ...subscriberReader(connection),
    ...deadLetterWriter(connection),
    ...deferredWriter(connection),
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
      connection.run('DELETE FROM deferred_delivery WHERE follower = ?', name);
      connection.run('DELETE FROM dropped_letters WHERE follower = ?', name);
      return connection.run('DELETE FROM follower WHERE name = ?', name) > 0;
    },
  };
}

function deadLetterWriter(connection: Statements) {
  return {
    async addDeadLetter(name, letter) {
      connection.run(
        'INSERT INTO dead_letter (follower, again, document) VALUES (?, ?, ?)',
        name,
        letter.retryRequested ? 1 : 0,
        toDocument(letter),
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
      const changed = connection.run(
        'UPDATE dead_letter SET again = ?, document = ? WHERE follower = ? AND id = ?',
        letter.retryRequested ? 1 : 0,
        toDocument(letter),
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

function toDocument({ deliveryId, recipient, changes, attempts, reason, atMs }: DeadLetter): string {
  return JSON.stringify({ deliveryId, recipient, changes, attempts, reason, atMs });
}

function toDeadLetter({ id, again, document }: DeadLetterRow): StoredDeadLetter {
  return {
    ...(JSON.parse(document) as Omit<StoredDeadLetter, 'id' | 'retryRequested'>),
    id,
    retryRequested: again === 1,
  };
}

function deferredReader(connection: Statements) {
  return {
    async findNextDeferred(name) {
      const row = connection.get<{ id: number; document: string }>(
        'SELECT id, document FROM deferred_delivery WHERE follower = ? ORDER BY next_attempt_ms, id LIMIT 1',
        name,
      );
      return row && ({ ...JSON.parse(row.document), id: row.id } as StoredDeferredDelivery);
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
      connection.run(
        'INSERT INTO deferred_delivery (follower, next_attempt_ms, document) VALUES (?, ?, ?)',
        name,
        Math.round(deferred.nextAttemptMs),
        encodeDeferred(deferred),
      );
    },
    async changeDeferred(name, deferred) {
      const changed = connection.run(
        'UPDATE deferred_delivery SET next_attempt_ms = ?, document = ? WHERE follower = ? AND id = ?',
        Math.round(deferred.nextAttemptMs),
        encodeDeferred(deferred),
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

function encodeDeferred(deferred: DeferredDelivery): string {
  const { deliveryId, recipient, changes, attempts, failingSinceMs, nextAttemptMs, reason } = deferred;
  return JSON.stringify({ deliveryId, recipient, changes, attempts, failingSinceMs, nextAttemptMs, reason });
}
