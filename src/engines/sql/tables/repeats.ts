import type { RepeatReader, RepeatStore } from '../../../kernel/repeat-store.port.js';
import { nextRound } from '../../../kernel/time-slice.js';
import { maxRepeatBytes, maxRepeatWrites } from '../../repeat-limits.js';
import { checksumOf, type DocumentRow, readDocument } from '../../stored-document.js';
import { insert } from '../dialect.js';
import type { Statements } from '../statements.port.js';

/** Maximum number of rows per query, so that other work is not delayed. */
const pageSize = 1_000;

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
    async removeFingerprints(isRemoved) {
      const page = `SELECT number, key, document FROM idempotency_key
         WHERE number > ? AND octet_length(document) <= 64 ORDER BY number LIMIT ?`;
      for (let after = -1; ; await nextRound()) {
        const rows = await connection.all<{ number: number; key: string; document: string }>(page, after, pageSize);
        for (const { number, key, document } of rows) {
          if (!isRemoved(key, document)) continue;
          await connection.run("UPDATE idempotency_key SET fingerprint = '' WHERE number = ?", number);
        }
        const last = rows.at(-1);
        if (!last || rows.length < pageSize) return;
        after = last.number;
      }
    },
    async removeBefore(atMs, limit) {
      const sql = `DELETE FROM idempotency_key
         WHERE number IN (SELECT number FROM idempotency_key WHERE at_ms < ? ORDER BY at_ms LIMIT ?)`;
      return connection.run(sql, atMs, limit);
    },
  };
}
