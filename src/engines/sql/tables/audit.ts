import type { AuditReader, AuditRecord, AuditStore, StoredAuditRecord } from '../../../auth/audit-store.port.js';
import { auditRecord, type ChainLink, type ChainPart } from '../../../ledger/audit-chain.js';
import { chainAuditRow, type ExpiringRow, findExpired, noLink } from '../../audit-rows.js';
import { type DocumentRow, listIntact, parseIntact } from '../../stored-document.js';
import { upsert } from '../dialect.js';
import { insertAll } from '../insert-all.js';
import type { Statements } from '../statements.port.js';
import type { LedgerScope } from '../write-scope.port.js';

interface AuditRow extends DocumentRow {
  readonly id: number;
}

const put = upsert('audit_chain');

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
      const sql = `SELECT id, document, crc FROM audit
        WHERE ${[...given.map(([one]) => one), 'id < ?'].join(' AND ')} ORDER BY id DESC LIMIT ?`;
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

/** @param scope receives the ledger record */
export function auditStore(connection: Statements, scope: LedgerScope): AuditStore {
  return {
    ...auditReader(connection),
    append: (records) => append(connection, records),
    async removeBefore(atMs, limit) {
      const oldest = await connection.all<ExpiringRow>('SELECT id, at_ms, hash FROM audit ORDER BY id LIMIT ?', limit);
      const expired = findExpired(oldest, atMs);
      if (!expired) return 0;
      if (expired.base) await putLink(connection, 'base', expired.base);
      return connection.run('DELETE FROM audit WHERE id <= ?', expired.last);
    },
    async enterNewest() {
      const head = await findLink(connection, 'head');
      if (head.id <= (await findLink(connection, 'entered')).id) return false;
      scope.appendRecord(auditRecord(head));
      await putLink(connection, 'entered', head);
      return true;
    },
  };
}

async function append(connection: Statements, records: readonly AuditRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { dialect } = connection;
  const head = await claimHead(connection);
  const given = await connection.all<{ id: number }>(dialect.nextAuditIds, records.length);
  const ids = given.map(({ id }) => id).sort((one, other) => one - other);
  // New ids must follow the head: an earlier version of the program may have assigned higher ids, and records may have
  // been removed.
  const skipped = Math.max(0, head.id + 1 - (ids[0] ?? 0));
  let { id, hash: previous } = head;
  const rows = records.map((record, at) => {
    id = (ids[at] ?? id + 1 - skipped) + skipped;
    const { atMs, userName, action, outcome, document, crc, hash } = chainAuditRow(record, id, previous);
    previous = hash;
    return { id, at_ms: atMs, user_name: userName, action, outcome, document, crc, hash };
  });
  await insertAll(connection, 'audit', rows);
  const newest = rows.at(-1);
  if (newest) await putLink(connection, 'head', newest);
}

/** Returns and locks the link of the newest record. If two nodes append concurrently, one restarts its transaction. */
async function claimHead(connection: Statements): Promise<ChainLink> {
  const sql = `SELECT id, hash FROM audit_chain WHERE part = 'head' ${connection.dialect.forUpdate}`;
  const head = await connection.get<{ id: number; hash: string }>(sql);
  if (head) return head;
  await putLink(connection, 'head', noLink);
  return noLink;
}

async function findLink(connection: Statements, part: ChainPart): Promise<ChainLink> {
  const sql = 'SELECT id, hash FROM audit_chain WHERE part = ?';
  return (await connection.get<{ id: number; hash: string }>(sql, part)) ?? noLink;
}

async function putLink(connection: Statements, part: ChainPart, { id, hash }: ChainLink): Promise<void> {
  await connection.run(...put({ part, id, hash }));
}
