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
import { insert, upsert } from '../dialect.js';
import type { Statements } from '../statements.port.js';

const addLetter = insert('dead_letter');
const addDeferred = insert('deferred_delivery');
const put = upsert('subscriber');

export function subscriberReader(connection: Statements): SubscriberReader {
  return {
    ...deadLetterReader(connection),
    ...deferredReader(connection),
    async find(name) {
      const row = await connection.get<StateRow>('SELECT * FROM subscriber WHERE name = ?', name);
      return row && toState(connection, row);
    },
    async list() {
      const rows = await connection.all<StateRow>('SELECT * FROM subscriber ORDER BY name');
      return rows.map((row) => toState(connection, row));
    },
  };
}

function deadLetterReader(connection: Statements) {
  const damaged = new Set<number>();
  return {
    async findDeadLetter(name, id) {
      const sql = 'SELECT * FROM dead_letter WHERE subscriber = ? AND id = ?';
      const row = await connection.get<DeadLetterRow>(sql, name, id);
      return row && toDeadLetter(connection, row);
    },
    async listDeadLetters(name, limit, beforeId = Number.MAX_SAFE_INTEGER) {
      const sql = 'SELECT * FROM dead_letter WHERE subscriber = ? AND id < ? ORDER BY id DESC LIMIT ?';
      return listIntact(
        { beforeId, limit },
        (position) => connection.all<DeadLetterRow>(sql, name, position.beforeId, position.limit),
        (row) => toDeadLetter(connection, row),
      );
    },
    async countDeadLetters(name) {
      const sql = 'SELECT count(*) AS count FROM dead_letter WHERE subscriber = ?';
      return (await connection.get<{ count: number }>(sql, name))?.count ?? 0;
    },
    async countDroppedDeadLetters(name) {
      const sql = 'SELECT count FROM dropped_deliveries WHERE subscriber = ?';
      return (await connection.get<{ count: number }>(sql, name))?.count ?? 0;
    },
    async findDeadLetterToRetry(name) {
      const sql = `SELECT * FROM dead_letter WHERE subscriber = ?1 AND retry_requested = 1 AND NOT ${connection.dialect.isIn('id', 'bigint', '?2')} ORDER BY id LIMIT ?3`;
      return firstIntact(
        damaged,
        (known, limit) => connection.all<DeadLetterRow>(sql, name, known, limit),
        (row) => toDeadLetter(connection, row),
      );
    },
  } satisfies Partial<SubscriberReader>;
}

function deferredReader(connection: Statements) {
  const damaged = new Set<number>();
  return {
    async findNextDeferred(name, latestMs) {
      const sql = `SELECT id, document, crc FROM deferred_delivery
        WHERE subscriber = ?1 AND NOT ${connection.dialect.isIn('id', 'bigint', '?2')} AND next_attempt_ms > ?4
        ORDER BY next_attempt_ms, id LIMIT ?3`;
      const findAfter = (ms: number) =>
        firstIntact(
          damaged,
          (known, limit) => connection.all<DeferredRow>(sql, name, known, limit, ms),
          (row) => toDeferred(connection, row),
        );
      return (await findAfter(Math.round(latestMs))) ?? findAfter(Number.MIN_SAFE_INTEGER);
    },
    async countDeferred(name) {
      const sql = 'SELECT count(*) AS count FROM deferred_delivery WHERE subscriber = ?';
      return (await connection.get<{ count: number }>(sql, name))?.count ?? 0;
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
      await connection.run(...put({ name: state.name, sequence: state.sequence, document, crc: checksumOf(document) }));
    },
    async remove(name) {
      for (const table of ['dead_letter', 'deferred_delivery', 'dropped_deliveries']) {
        await connection.run(`DELETE FROM ${table} WHERE subscriber = ?`, name);
      }
      return (await connection.run('DELETE FROM subscriber WHERE name = ?', name)) > 0;
    },
  };
}

function deadLetterWriter(connection: Statements) {
  return {
    async addDeadLetter(name, letter) {
      const document = encodeDeadLetter(letter);
      const row = { subscriber: name, retry_requested: letter.retryRequested ? 1 : 0 };
      await connection.run(...addLetter({ ...row, document, crc: checksumOf(document) }));
      const sql = `DELETE FROM dead_letter WHERE subscriber = ?1
         AND id <= (SELECT id FROM dead_letter WHERE subscriber = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`;
      const dropped = await connection.run(sql, name, maxDeadLetters);
      if (dropped === 0) return;
      const count = `INSERT INTO dropped_deliveries (subscriber, count) VALUES (?, ?)
         ON CONFLICT (subscriber) DO UPDATE SET count = dropped_deliveries.count + excluded.count`;
      await connection.run(count, name, dropped);
    },
    async changeDeadLetter(name, letter) {
      const document = encodeDeadLetter(letter);
      const sql = 'UPDATE dead_letter SET retry_requested = ?, document = ?, crc = ? WHERE subscriber = ? AND id = ?';
      const changed = await connection.run(
        sql,
        letter.retryRequested ? 1 : 0,
        document,
        checksumOf(document),
        name,
        letter.id,
      );
      return changed > 0;
    },
    async removeDeadLetter(name, id) {
      return (await connection.run('DELETE FROM dead_letter WHERE subscriber = ? AND id = ?', name, id)) > 0;
    },
  } satisfies Partial<SubscriberStore>;
}

function deferredWriter(connection: Statements) {
  return {
    async addDeferred(name, deferred) {
      const document = encodeDeferred(deferred);
      const row = { subscriber: name, next_attempt_ms: Math.round(deferred.nextAttemptMs) };
      await connection.run(...addDeferred({ ...row, document, crc: checksumOf(document) }));
    },
    async changeDeferred(name, deferred) {
      const document = encodeDeferred(deferred);
      const sql =
        'UPDATE deferred_delivery SET next_attempt_ms = ?, document = ?, crc = ? WHERE subscriber = ? AND id = ?';
      const changed = await connection.run(
        sql,
        Math.round(deferred.nextAttemptMs),
        document,
        checksumOf(document),
        name,
        deferred.id,
      );
      return changed > 0;
    },
    async removeDeferred(name, id) {
      return (await connection.run('DELETE FROM deferred_delivery WHERE subscriber = ? AND id = ?', name, id)) > 0;
    },
  } satisfies Partial<SubscriberStore>;
}
