import type { RepeatReader, RepeatStore, WriteBeginnings } from '../../../kernel/repeat-store.port.js';
import { nextRound } from '../../../kernel/time-slice.js';
import { maxRepeatBytes, maxRepeatWrites } from '../../repeat-limits.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import { insert } from '../dialect.js';
import type { Statements } from '../statements.port.js';

/** Maximum number of rows that a statement compares, so that other work is not delayed. */
const pageSize = 5_000;

const add = insert('idempotency_key', 'ON CONFLICT DO NOTHING');

export function repeatReader(connection: Statements): RepeatReader {
  return {
    async find({ scheme, userName }, key) {
      const sql =
        'SELECT fingerprint, document, crc FROM idempotency_key WHERE user_name = ? AND scheme = ? AND key = ?';
      const row = await connection.get<DocumentRow & { fingerprint: string }>(sql, userName, scheme, key);
      return (
        row && { fingerprint: row.fingerprint, result: readDocument(connection, `write under the key ${key}`, row) }
      );
    },
  };
}

/** Returns the condition that a key or a result begins with one of the texts. */
function whereBegins({ keys, results }: WriteBeginnings): { condition: string; values: readonly string[] } {
  const begins = (column: string, text: string) => `substr(${column}, 1, ${[...text].length}) = ?`;
  const conditions = [...keys.map((text) => begins('key', text)), ...results.map((text) => begins('document', text))];
  return { condition: conditions.join(' OR '), values: [...keys, ...results] };
}

export function repeatStore(connection: Statements): RepeatStore {
  return {
    ...repeatReader(connection),
    async put({ scheme, userName }, key, { fingerprint, result }, atMs) {
      const document = { document: result, crc: checksumOf(result) };
      const inserted = await connection.run(
        // Waits for a transaction with the same key, and fails with a conflict if that one commits.
        ...add({ scheme, user_name: userName, key, fingerprint, at_ms: atMs, ...document }),
      );
      if (inserted === 0) throw new Error(`${userName} has used this idempotency key already`);
      const sql = `DELETE FROM idempotency_key WHERE number IN (
           SELECT number FROM (
             SELECT number, row_number() OVER newest AS place, sum(octet_length(document)) OVER newest AS bytes
             FROM idempotency_key WHERE user_name = ? AND scheme = ?
               AND octet_length(document) > 64
             WINDOW newest AS (ORDER BY number DESC)
           ) AS own WHERE place > ? OR (bytes > ? AND place > 1)
         )`;
      await connection.run(sql, userName, scheme, maxRepeatWrites, maxRepeatBytes);
    },
    async removeFingerprints(beginnings) {
      const { condition, values } = whereBegins(beginnings);
      const sql = `UPDATE idempotency_key SET fingerprint = ''
         WHERE number BETWEEN ? AND ? AND octet_length(document) <= 64 AND (${condition})`;
      // Each in its own query, so that SQLite looks them up in the index.
      const range = `SELECT (SELECT min(number) FROM idempotency_key) AS first,
        (SELECT max(number) FROM idempotency_key) AS last`;
      const { first, last } = (await connection.get<{ first: number | null; last: number | null }>(range)) ?? {};
      // The rows stay in the database, because reading all of them here would make other writes wait.
      for (let from = Number(first ?? 1); from <= Number(last ?? 0); from += pageSize, await nextRound()) {
        await connection.run(sql, from, from + pageSize - 1, ...values);
      }
    },
    async removeBefore(atMs, limit) {
      const sql = `DELETE FROM idempotency_key
         WHERE number IN (SELECT number FROM idempotency_key WHERE at_ms < ? ORDER BY at_ms LIMIT ?)`;
      return connection.run(sql, atMs, limit);
    },
  };
}
