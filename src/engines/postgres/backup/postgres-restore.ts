import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { BackupTable, Row } from '../../../backup/backup-tables.js';
import type { DocumentRestore, RestoredNumbers } from '../../../backup/document-snapshot.port.js';
import type { Log } from '../../../kernel/log.js';
import { checksumOf } from '../../stored-document.js';
import { closeClient, Hosts } from '../database/hosts.js';
import { horizon, placesPerTransaction } from '../database/incarnation.js';
import { migrate } from '../database/migrations.js';
import type { PostgresOptions } from '../postgres-options.js';

/** More transactions than were made between a backup and its restore. */
const skippedTransactions = 100_000_000;
/** And as many in the time that has passed since. */
const transactionsPerMs = 0.1;
const statementTimeoutMs = 86_400_000;
const columnNames: Readonly<Record<string, string>> = { 'entry.write': 'write_xid' };
/** What another engine records for itself. */
const foreignKeys: ReadonlySet<unknown> = new Set(['document-checksums']);
const numberedTables = [
  'logbook_set.id',
  'audit.id',
  'draft.number',
  'repeatable_write.number',
  'saved_search.number',
  'redaction.number',
  'dead_letter.id',
  'deferred_delivery.id',
];

const quotedName = (name: string): string => `"${name}"`;

/**
 * Restores documents into a database without a logbook, in one transaction: after an interruption nothing is there.
 * @throws Error when there is a logbook
 */
export async function openPostgresRestore(options: PostgresOptions, log: Log): Promise<DocumentRestore> {
  const client = await new Hosts({ ...options, statementTimeoutMs }, log).connect();
  try {
    await migrate(client, options.schema);
    await client.query('BEGIN');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('LOCK TABLE entry, store IN ACCESS EXCLUSIVE MODE');
    await requireEmpty(client, options);
    await client.query('DELETE FROM store');
    await client.query('DELETE FROM incarnation');
  } catch (error) {
    closeClient(client);
    throw error;
  }
  return {
    insert: (table, rows) => insertRows(client, table, rows),
    async complete(numbers) {
      await setNumbers(client, numbers);
      await client.query('COMMIT');
    },
    async close() {
      await client.query('ROLLBACK').catch(() => undefined);
      await client.end().catch(() => undefined);
    },
  };
}

async function requireEmpty(client: pg.Client, { database, schema }: PostgresOptions): Promise<void> {
  const { rows } = await client.query<{ used: boolean; id: string }>(
    `SELECT (SELECT value FROM store WHERE key = 'id') AS id, EXISTS (SELECT 1 FROM entry) OR EXISTS (SELECT 1 FROM attachment)
       OR EXISTS (SELECT 1 FROM audit) OR EXISTS (SELECT 1 FROM catalog_item) OR EXISTS (SELECT 1 FROM node) AS used`,
  );
  if (!rows[0]?.used) return;
  throw new Error(
    `The schema ${schema} of the database ${database} already has the logbook ${rows[0].id}. A restore overwrites nothing, and nothing was changed. Choose another postgresSchema or postgresDatabase.`,
  );
}

async function insertRows(client: pg.Client, { name, columns }: BackupTable, rows: readonly Row[]): Promise<void> {
  const kept = name === 'store' ? rows.filter(([key]) => !foreignKeys.has(key)) : rows;
  if (name === 'store' && kept.some(([key]) => key === 'entry-files')) {
    throw new Error(
      'The backup was made while the service was still completing an upgrade of the embedded logbook. Let it complete (see the job entry-files in its log), make a backup, and restore that.',
    );
  }
  const names = columns.map((column) => columnNames[`${name}.${column}`] ?? column);
  const objects = kept.map((row) => toObject(names, row));
  const list = names.map(quotedName).join(', ');
  await client.query(
    `INSERT INTO ${quotedName(name)} (${list}) OVERRIDING SYSTEM VALUE
     SELECT ${list} FROM json_populate_recordset(NULL::${quotedName(name)}, $1::json)`,
    [JSON.stringify(objects)],
  );
}

function toObject(names: readonly string[], row: Row): Record<string, unknown> {
  const object = Object.fromEntries(names.map((column, at) => [column, row[at]]));
  // Stored by a version that recorded no checksum.
  if (object.crc === null) object.crc = checksumOf(String(object.document));
  return object;
}

/** Goes on above all numbers that were given out. */
async function setNumbers(
  client: pg.Client,
  { highestEntryId, feedPosition, elapsedMs }: RestoredNumbers,
): Promise<void> {
  await client.query("SELECT setval('entry_id', greatest($1::bigint, 1))", [highestEntryId]);
  for (const column of numberedTables) {
    const [table = '', name = ''] = column.split('.');
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT max(${quotedName(name)}) FROM ${quotedName(table)}))
       WHERE EXISTS (SELECT 1 FROM ${quotedName(table)})`,
      [table, name],
    );
  }
  // See incarnation.ts: the server is none, so that the first node begins a new incarnation above this one.
  await client.query(
    `INSERT INTO incarnation (number, id, server, xid_offset, first_write)
     SELECT 1, $1, 'restored', greatest(last - ${horizon}, 0) + ${skippedTransactions} + $3, last + 1 FROM (
       SELECT greatest($2::bigint / ${placesPerTransaction}, (SELECT coalesce(max(sequence), 0) / ${placesPerTransaction} FROM change),
         (SELECT coalesce(max(sequence), 0) / ${placesPerTransaction} FROM ledger_record),
         (SELECT coalesce(max(write_xid), 0) FROM entry)) AS last) AS stored`,
    [randomUUID(), feedPosition, Math.ceil(elapsedMs * transactionsPerMs)],
  );
}
