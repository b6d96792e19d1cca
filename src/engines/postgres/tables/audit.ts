import type { AuditReader, AuditRecord, AuditStore, StoredAuditRecord } from '../../../auth/audit-store.port.js';
import { auditRecord, type ChainLink, type ChainPart } from '../../../ledger/audit-chain.js';
import { chainAuditRow, type ExpiringRow, findExpired, type NewAuditRow, noLink } from '../../audit-rows.js';
import { type DocumentRow, listIntact, parseIntact } from '../../stored-document.js';
import type { SqlValue, Statements } from '../database/statements.js';
import type { LedgerScope } from './ledger.js';

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

/** @param scope takes the record of the ledger */
export function auditStore(connection: Statements, scope: LedgerScope): AuditStore {
  return {
    ...auditReader(connection),
    async append(records) {
      if (records.length === 0) return;
      const head = await claimHead(connection);
      const ids = await connection.all<{ id: number }>(
        "SELECT nextval(pg_get_serial_sequence('audit', 'id')) AS id FROM generate_series(1, $1)",
        records.length,
      );
      const rows = chainRows(
        records,
        ids.map(({ id }) => id).sort((one, other) => one - other),
        head.hash,
      );
      await insertRows(connection, rows);
      const newest = rows.at(-1);
      if (newest) await putLink(connection, 'head', newest);
    },
    async removeBefore(atMs, limit) {
      const oldest = await connection.all<ExpiringRow>('SELECT id, at_ms, hash FROM audit ORDER BY id LIMIT $1', limit);
      const expired = findExpired(oldest, atMs);
      if (!expired) return 0;
      if (expired.base) await putLink(connection, 'base', expired.base);
      return connection.run('DELETE FROM audit WHERE id <= $1', expired.last);
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

function chainRows(records: readonly AuditRecord[], ids: readonly number[], head: string): NewAuditRow[] {
  let previous = head;
  return records.map((record, at) => {
    const row = chainAuditRow(record, ids[at] ?? 0, previous);
    previous = row.hash;
    return row;
  });
}

async function insertRows(connection: Statements, rows: readonly NewAuditRow[]): Promise<void> {
  await connection.run(
    `INSERT INTO audit (id, at_ms, user_name, action, outcome, document, crc, hash) OVERRIDING SYSTEM VALUE
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[])`,
    rows.map(({ id }) => id),
    rows.map(({ atMs }) => atMs),
    rows.map(({ userName }) => userName),
    rows.map(({ action }) => action),
    rows.map(({ outcome }) => outcome),
    rows.map(({ document }) => document),
    rows.map(({ crc }) => crc),
    rows.map(({ hash }) => hash),
  );
}

/** Returns the newest record. Nodes append one after the other: of two at the same time, one restarts. */
async function claimHead(connection: Statements): Promise<ChainLink> {
  const sql = "SELECT id, hash FROM audit_chain WHERE part = 'head' FOR UPDATE";
  const head = await connection.get<{ id: number; hash: string }>(sql);
  if (head) return head;
  await putLink(connection, 'head', noLink);
  return noLink;
}

async function findLink(connection: Statements, part: ChainPart): Promise<ChainLink> {
  const sql = 'SELECT id, hash FROM audit_chain WHERE part = $1';
  return (await connection.get<{ id: number; hash: string }>(sql, part)) ?? noLink;
}

async function putLink(connection: Statements, part: ChainPart, { id, hash }: ChainLink): Promise<void> {
  await connection.run(
    `INSERT INTO audit_chain (part, id, hash) VALUES ($1, $2, $3)
     ON CONFLICT (part) DO UPDATE SET id = excluded.id, hash = excluded.hash`,
    part,
    id,
    hash,
  );
}
