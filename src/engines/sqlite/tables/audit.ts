import type { AuditReader, AuditRecord, AuditStore, StoredAuditRecord } from '../../../auth/audit-store.port.js';
import { auditRecord, type ChainLink, type ChainPart } from '../../../ledger/audit-chain.js';
import { chainAuditRow, type ExpiringRow, findExpired, noLink } from '../../audit-rows.js';
import { type DocumentRow, listIntact, parseIntact } from '../../stored-document.js';
import type { Statements } from '../database/connection.js';
import { appendRecord } from './ledger.js';

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
      if (records.length === 0) return;
      let { id, hash } = findLink(connection, 'head');
      // Records with higher ids may be of an earlier version of the program, or removed.
      id = Math.max(
        id,
        connection.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'audit'")?.seq ?? 0,
      );
      for (const record of records) {
        id += 1;
        const row = chainAuditRow(record, id, hash);
        ({ hash } = row);
        connection.run(
          'INSERT INTO audit (id, at_ms, user_name, action, outcome, document, crc, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
          ...[id, row.atMs, row.userName, row.action, row.outcome, row.document, row.crc, hash],
        );
      }
      putLink(connection, 'head', { id, hash });
    },
    async removeBefore(atMs, limit) {
      const oldest = connection.all<ExpiringRow & Record<string, unknown>>(
        'SELECT id, at_ms, hash FROM audit ORDER BY id LIMIT ?',
        limit,
      );
      const expired = findExpired(oldest, atMs);
      if (!expired) return 0;
      if (expired.base) putLink(connection, 'base', expired.base);
      return connection.run('DELETE FROM audit WHERE id <= ?', expired.last);
    },
    async enterNewest() {
      const head = findLink(connection, 'head');
      if (head.id <= findLink(connection, 'entered').id) return false;
      appendRecord(connection, auditRecord(head));
      putLink(connection, 'entered', head);
      return true;
    },
  };
}

function findLink(connection: Statements, part: ChainPart): ChainLink {
  return (
    connection.get<{ id: number; hash: string }>('SELECT id, hash FROM audit_chain WHERE part = ?', part) ?? noLink
  );
}

function putLink(connection: Statements, part: ChainPart, { id, hash }: ChainLink): void {
  connection.run('INSERT OR REPLACE INTO audit_chain (part, id, hash) VALUES (?, ?, ?)', part, id, hash);
}
