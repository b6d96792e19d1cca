import type { AuditReader, AuditRecord, AuditStore, StoredAuditRecord } from '../../../auth/audit-store.port.js';
import { checksumOf, type DocumentRow, listIntact, parseIntact } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';

interface AuditRow extends DocumentRow {
  readonly id: number;
}

export function auditReader(connection: Statements): AuditReader {
  return {
    async list({ userName, action, outcome, startMs, endMs, beforeId }, limit) {
      const conditions: [string, string | number | undefined][] = [
        ['user_name = ?', userName],
        ['action = ?', action],
        ['outcome = ?', outcome],
        ['at_ms >= ?', startMs],
        ['at_ms <= ?', endMs],
      ];
      const given = conditions.filter((one): one is [string, string | number] => one[1] !== undefined);
      const sql = `SELECT id, document, crc FROM audit WHERE ${['TRUE', ...given.map(([one]) => one)].join(' AND ')}
        AND id < ? ORDER BY id DESC LIMIT ?`;
      const values = given.map(([, value]) => value);
      return listIntact(
        { beforeId: beforeId ?? Number.MAX_SAFE_INTEGER, limit },
        (position) => connection.all<AuditRow>(sql, ...values, position.beforeId, position.limit),
        (row): StoredAuditRecord | undefined => {
          const record = parseIntact<AuditRecord>(connection, `audit record ${row.id}`, row);
          return record && { ...record, id: row.id };
        },
      );
    },
  };
}

export function auditStore(connection: Statements): AuditStore {
  return {
    ...auditReader(connection),
    async append(records) {
      for (const record of records) {
        const document = JSON.stringify(record);
        connection.run(
          'INSERT INTO audit (at_ms, user_name, action, outcome, document, crc) VALUES (?, ?, ?, ?, ?, ?)',
          record.atMs,
          record.userName,
          record.action,
          record.outcome,
          document,
          checksumOf(document),
        );
      }
    },
    async removeBefore(atMs, limit) {
      return connection.run(
        'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at_ms < ? ORDER BY at_ms, id LIMIT ?)',
        atMs,
        limit,
      );
    },
  };
}
