import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/**
 * Source of the positions in the change feed and in the sequence of entry writes. Both are ordered by transaction
 * number. Readers see only transactions below the oldest open one, so no position appears before one already read.
 * Transaction numbers restart in a database restored from a dump. Some may be reused after the promotion of a standby
 * that lacked the last transactions. Each such event therefore begins a new incarnation of the database, which adds a
 * larger offset to the numbers.
 */
export interface Incarnation {
  readonly number: number;
  readonly id: string;
  /** Offset added to transaction numbers. */
  readonly offset: number;
}

/** Maximum number of positions in the change feed per transaction. */
export const placesPerTransaction = 16_384;
/** Number of transaction numbers to skip: more than a standby can lack. */
const skippedTransactions = 1_000_000;

/** SQL for the number of the oldest open transaction. The order of everything written by earlier ones is final. */
export const horizon = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';
/** SQL for the number of the current transaction. */
export const ownTransaction = 'pg_current_xact_id()::text::bigint';

/** Returns SQL for a column of the newest incarnation in the same snapshot. This node may not have noticed it yet. */
export const newestIncarnation = (column: 'id' | 'xid_offset'): string =>
  `(SELECT ${column} FROM incarnation ORDER BY number DESC LIMIT 1)`;

/** SQL condition on the column `sequence` that excludes rows before which another row may still appear. */
export const inFinalOrder = `sequence < (${horizon} + ${newestIncarnation('xid_offset')}) * ${placesPerTransaction}`;

const identityOfServer = `SELECT
  (SELECT system_identifier FROM pg_control_system())::text || ' ' ||
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS server, ${horizon} AS open_xid`;

interface IncarnationRow {
  readonly number: number;
  readonly id: string;
  readonly server: string;
  readonly xid_offset: number;
}

/** Returns the current incarnation of the connected database, and begins a new one if needed. */
export async function openIncarnation(client: pg.Client): Promise<Incarnation> {
  await client.query('BEGIN');
  try {
    // Nodes that connect concurrently after a failover must agree on the incarnation.
    await client.query('LOCK TABLE incarnation IN SHARE ROW EXCLUSIVE MODE');
    const incarnation = await readOrBegin(client);
    await client.query('COMMIT');
    return incarnation;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function readOrBegin(client: pg.Client): Promise<Incarnation> {
  const newest = await client.query<IncarnationRow>('SELECT * FROM incarnation ORDER BY number DESC LIMIT 1');
  const identity = await client.query<{ server: string; open_xid: number }>(identityOfServer);
  const [row, now] = [newest.rows[0], identity.rows[0]];
  if (!now) throw new Error('the identity of the database server cannot be read');
  if (row?.server === now.server) return { number: row.number, id: row.id, offset: row.xid_offset };
  const stored = await client.query<{ last: number }>(
    `SELECT greatest(
       (SELECT coalesce(max(sequence), 0) / ${placesPerTransaction} FROM change),
       (SELECT coalesce(max(sequence), 0) / ${placesPerTransaction} FROM ledger_record),
       (SELECT coalesce(max(write_xid), 0) FROM entry)
     ) AS last`,
  );
  const last = stored.rows[0]?.last ?? 0;
  const earlier = row === undefined ? 0 : row.xid_offset + skippedTransactions;
  // Exceeds all positions assigned so far, whatever the number of the next transaction.
  const offset = Math.max(earlier, last === 0 ? 0 : last + skippedTransactions - now.open_xid);
  const id = randomUUID();
  const number = (row?.number ?? 0) + 1;
  await client.query(
    'INSERT INTO incarnation (number, id, server, xid_offset, first_write) VALUES ($1, $2, $3, $4, $5)',
    // `first_write`: positions of earlier incarnations at or after it refer to writes that this database lacks.
    [number, id, now.server, offset, last + 1],
  );
  return { number, id, offset };
}
