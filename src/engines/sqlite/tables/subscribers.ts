import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DeadLetter,
  type DeferredDelivery,
  maxDeadLetters,
  type StoredDeadLetter,
  type SubscriberReader,
  type SubscriberState,
  type SubscriberStore,
} from '../../../notifications/subscribers/subscriber-store.port.js';
import type { Statements } from '../database/connection.js';
import { checksumOf, type DocumentRow, listIntact, parseIntact } from './document.js';

interface StateRow extends DocumentRow {
  readonly name: string;
  readonly sequence: number;
}

interface DeadLetterRow extends DocumentRow {
  readonly id: number;
  readonly again: number;
}

interface DeferredRow extends DocumentRow {
  readonly id: number;
}

/** How many rows are read at once in search of an intact one; other work goes on in between. */
const batchSize = 100;

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

/** A subscriber whose state is damaged goes on from its position: it may get a delivery again, but misses none. */
function toState(connection: Statements, row: StateRow): SubscriberState {
  const { name, sequence } = row;
  const lastError = 'The stored state was damaged; deliveries continue from the last position.';
  const empty = { name, sequence, sinceMs: 0, lastSuccessMs: null, lastErrorMs: null, lastError, pending: null };
  return parseIntact<SubscriberState>(connection, `subscriber ${name}`, row) ?? empty;
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
      const document = toDocument(letter);
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
      const document = toDocument(letter);
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

function toDocument({ deliveryId, recipient, changes, attempts, reason, atMs }: DeadLetter): string {
  return JSON.stringify({ deliveryId, recipient, changes, attempts, reason, atMs });
}

/** Undefined when it is damaged. */
function toDeadLetter(connection: Statements, row: DeadLetterRow): StoredDeadLetter | undefined {
  const { id, again } = row;
  const letter = parseIntact<Omit<DeadLetter, 'retryRequested'>>(connection, `dead letter ${id}`, row);
  return letter && { ...letter, id, retryRequested: again === 1 };
}

/**
 * Passes over damaged rows, however many there are: they must not stop the deliveries behind them. A damaged one is read
 * once.
 * @param damaged the ids of the rows that are known to be damaged; those that are found are added
 * @param list lists the next rows but those known, whose ids are given as JSON
 */
async function firstIntact<Row extends { readonly id: number }, T>(
  damaged: Set<number>,
  list: (known: string, limit: number) => readonly Row[],
  parse: (row: Row) => T | undefined,
): Promise<T | undefined> {
  for (let limit = 1; ; limit = batchSize) {
    const rows = list(JSON.stringify([...damaged]), limit);
    for (const row of rows) {
      const found = parse(row);
      if (found) return found;
      damaged.add(row.id);
    }
    if (rows.length < limit) return undefined;
    await nextTurn();
  }
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
        (row) => {
          const deferred = parseIntact<DeferredDelivery>(connection, `deferred delivery ${row.id}`, row);
          return deferred && { ...deferred, id: row.id };
        },
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

function encodeDeferred(deferred: DeferredDelivery): string {
  const { deliveryId, recipient, changes, attempts, failingSinceMs, nextAttemptMs, reason } = deferred;
  return JSON.stringify({ deliveryId, recipient, changes, attempts, failingSinceMs, nextAttemptMs, reason });
}
