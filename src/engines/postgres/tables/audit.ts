import type { AuditReader, AuditRecord, AuditStore, StoredAuditRecord } from '../../../auth/audit-store.port.js';
import { checksumOf, type DocumentRow, listIntact, parseIntact } from '../../stored-document.js';
import type { SqlValue, Statements } from '../database/statements.js';

interface AuditRow extends DocumentRow {
  readonly id: number;
}

export function auditReader(connection: Statements): AuditReader {
  return {
    async list({ userName, action, outcome, startMs, endMs, beforeId }, limit) {
      const filters: [string, SqlValue | undefined][] = [
        ['user_name =', userName],
        ['action =', action],
        ['outcome =', outcome],
        ['at_ms >=', startMs],
        ['at_ms <=', endMs],
      ];
      const given = filters.filter((one): one is [string, SqlValue] => one[1] !== undefined);
      const conditions = given.map(([comparison], index) => `${comparison} $${index + 3} AND `).join('');
      const sql = `SELECT id, document, crc FROM audit WHERE ${conditions} id < $1 ORDER BY id DESC LIMIT $2`;
      const values = given.map(([, value]) => value);
      return listIntact(
        { beforeId: beforeId ?? Number.MAX_SAFE_INTEGER, limit },
        (position) => connection.all<AuditRow>(sql, position.beforeId, position.limit, ...values),
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
      const documents = records.map((record) => JSON.stringify(record));
      await connection.run(
        `INSERT INTO audit (at_ms, user_name, action, outcome, document, crc)
         SELECT at_ms, user_name, action, outcome, document, crc
         FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) WITH ORDINALITY
           AS record (at_ms, user_name, action, outcome, document, crc, place) ORDER BY place`,
        records.map(({ atMs }) => Math.round(atMs)),
        records.map(({ userName }) => userName),
        records.map(({ action }) => action),
        records.map(({ outcome }) => outcome),
        documents,
        documents.map((document) => checksumOf(document)),
      );
    },
    async removeBefore(atMs, limit) {
      return connection.run(
        'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at_ms < $1 ORDER BY at_ms, id LIMIT $2)',
        atMs,
        limit,
      );
    },
  };
}
