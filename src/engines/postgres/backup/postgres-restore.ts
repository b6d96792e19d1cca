import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type BackupTable, foreignKeys, type Row } from '../../../backup/backup-tables.js';
import type { DocumentRestore, RestoredNumbers } from '../../../backup/document-snapshot.port.js';
import {
  encodeMark,
  type MayReplace,
  type RestoreRun,
  refusalOf,
  restoreMarkName,
} from '../../../backup/restore-mark.js';
import type { ColumnName } from '../../../backup/schema.js';
import type { Log } from '../../../kernel/log.js';
import { quotedName } from '../../sql/backup-rows.js';
import { checksumOf } from '../../stored-document.js';
import { closeClient, Hosts } from '../database/hosts.js';
import { horizon, placesPerTransaction } from '../database/incarnation.js';
import { migrateInTurn } from '../database/migrate-in-turn.js';
import { readSchema, requireOwnSchema } from '../database/migrations.js';
import type { PostgresOptions } from '../postgres-options.js';
import { describeSchema, findRestoreMark, restoredServer } from './postgres-restore-mark.js';
import { columnNames, numberedColumns } from './postgres-snapshot.js';

/** Number of transaction numbers to skip: more than the logbook can have used between a backup and its restore. */
const skippedTransactions = 100_000_000;
/** Number of further transaction numbers to skip per millisecond since the backup. */
const transactionsPerMs = 0.1;
const statementTimeoutMs = 86_400_000;

/**
 * Restores documents into a database without a logbook, in one transaction, so that an interruption changes nothing.
 * The restored logbook stays marked until `removeRestoreMark`.
 * @throws Error when there is a logbook, unless its mark permits replacement
 */
export async function openPostgresRestore(
  options: PostgresOptions,
  { mark, mayReplace }: RestoreRun,
  log: Log,
): Promise<DocumentRestore> {
  const client = await new Hosts({ ...options, statementTimeoutMs }, log).connect();
  try {
    // Check before migrating: nodes of an earlier version may be using the tables.
    if ((await readSchema(client)).version > 0) await requireFree(client, options, mayReplace);
    await migrateInTurn(client, { schema: options.schema, runtimeRole: undefined, log });
    await client.query('BEGIN');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('LOCK TABLE entry, store IN ACCESS EXCLUSIVE MODE');
    await requireOwnSchema(client, options.schema);
    await requireFree(client, options, mayReplace);
    await removeRows(client);
  } catch (error) {
    closeClient(client);
    throw error;
  }
  return {
    insert: (table, rows) => insertRows(client, table, rows),
    async complete(numbers) {
      await setNumbers(client, numbers);
      await client.query('INSERT INTO store (key, value) VALUES ($1, $2)', [restoreMarkName, encodeMark(mark)]);
      await client.query('COMMIT');
    },
    async close() {
      await client.query('ROLLBACK').catch(() => undefined);
      await client.end().catch(() => undefined);
    },
  };
}

async function requireFree(client: pg.Client, options: PostgresOptions, mayReplace: MayReplace): Promise<void> {
  const found = await findRestoreMark(client);
  if (found && !mayReplace(found)) throw refusalOf(found, describeSchema(options));
  if (found) return;
  // Earlier schemas lack some of these tables.
  const present = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NOT NULL',
    [['entry', 'attachment', 'audit', 'catalog_item', 'node']],
  );
  const isUsed = present.rows.map(({ name }) => `EXISTS (SELECT 1 FROM ${quotedName(name)})`).join(' OR ');
  const { rows } = await client.query<{ used: boolean; id: string }>(
    `SELECT (SELECT value FROM store WHERE key = 'id') AS id, ${isUsed} AS used`,
  );
  if (!rows[0]?.used) return;
  throw new Error(
    `The schema ${options.schema} of the database ${options.database} already has the logbook ${rows[0].id}. A restore overwrites nothing, and nothing was changed. Choose another postgresSchema or postgresDatabase.`,
  );
}

/** Removes the initial rows of a new schema, or the remains of an interrupted restore. */
async function removeRows(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_version'",
  );
  await client.query(`TRUNCATE ${rows.map(({ name }) => quotedName(name)).join(', ')} RESTART IDENTITY`);
}

async function insertRows(client: pg.Client, { name, columns }: BackupTable, rows: readonly Row[]): Promise<void> {
  const kept = name === 'store' ? rows.filter(([key]) => !foreignKeys.has(key)) : rows;
  if (name === 'store' && kept.some(([key]) => key === 'entry-files')) {
    throw new Error(
      'The backup was made while the service was still completing an upgrade of the embedded logbook. Let it complete (see the job entry-files in its log), make a backup, and restore that.',
    );
  }
  const names = columns.map((column) => columnNames[`${name}.${column}` as ColumnName] ?? column);
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
  // An earlier version of the program stored this row without a checksum. Only rows with a document need one.
  if (object.crc === null && 'document' in object) object.crc = checksumOf(String(object.document));
  return object;
}

/** Advances all sequences beyond the numbers already assigned. */
async function setNumbers(
  client: pg.Client,
  { highestEntryId, feedPosition, elapsedMs }: RestoredNumbers,
): Promise<void> {
  await client.query("SELECT setval('entry_id', greatest($1::bigint, 1))", [highestEntryId]);
  for (const [table, name] of numberedColumns) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT max(${quotedName(name)}) FROM ${quotedName(table)}))
       WHERE EXISTS (SELECT 1 FROM ${quotedName(table)})`,
      [table, name],
    );
  }
  // The newest audit records may have been removed because of their age.
  await client.query(
    `SELECT setval(pg_get_serial_sequence('audit', 'id'), greatest(id, (SELECT max(id) FROM audit)))
     FROM audit_chain WHERE part = 'head' AND id > 0`,
  );
  // See incarnation.ts: no server has this name, so the first node begins a new incarnation above this one.
  await client.query(
    `INSERT INTO incarnation (number, id, server, xid_offset, first_write)
     SELECT 1, $1, '${restoredServer}', greatest(last - ${horizon}, 0) + ${skippedTransactions} + $3, last + 1 FROM (
       SELECT greatest($2::bigint / ${placesPerTransaction}, (SELECT coalesce(max(sequence), 0) / ${placesPerTransaction} FROM change),
         (SELECT coalesce(max(sequence), 0) / ${placesPerTransaction} FROM ledger_record),
         (SELECT coalesce(max(write_xid), 0) FROM entry)) AS last) AS stored`,
    [randomUUID(), feedPosition, Math.ceil(elapsedMs * transactionsPerMs)],
  );
}
