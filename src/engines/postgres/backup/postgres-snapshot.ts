import type pg from 'pg';
import type { Value } from '../../../backup/backup-tables.js';
import type { DocumentSnapshot } from '../../../backup/document-snapshot.port.js';
import { type ColumnName, listColumns } from '../../../backup/schema.js';
import type { Log } from '../../../kernel/log.js';
import { quotedName, type RowsReader, rowsOfSnapshot } from '../../sql/backup-rows.js';
import { ledgerReader } from '../../sql/tables/ledger.js';
import { closeClient, Hosts } from '../database/hosts.js';
import { horizon, newestIncarnation, placesPerTransaction } from '../database/incarnation.js';
import { findSchemaProblem, readSchema } from '../database/migrations.js';
import { runPrepared, statementsOn } from '../database/statements.js';
import type { PostgresOptions } from '../postgres-options.js';
import { checkSchema } from './check-schema.js';

/** Names in PostgreSQL of the columns that have another name in backups. */
export const columnNames: Readonly<Partial<Record<ColumnName, string>>> = { 'entry.write': 'write_xid' };
/** Columns with flags, which backups store as 0 or 1. */
const flags: ReadonlySet<string> = new Set(listColumns('flag').map(([table, column]) => `${table}.${column}`));

export const numberedColumns = listColumns('number');

function rowsReader(client: pg.Client): RowsReader {
  return {
    expressionOf(table, column) {
      const name = quotedName(columnNames[`${table}.${column}` as ColumnName] ?? column);
      return flags.has(`${table}.${column}`) ? `${name}::integer` : name;
    },
    parameter: (position) => `$${position}`,
    async read(_columns, text, values) {
      return (await client.query<Value[]>({ text, values: [...values], rowMode: 'array' })).rows;
    },
  };
}

/**
 * Opens the current state of the logbook in a read-only transaction, which makes no node wait.
 * @throws Error that says why the database cannot be used
 */
export async function openPostgresSnapshot(options: PostgresOptions, log: Log): Promise<DocumentSnapshot> {
  const client = await new Hosts(options, log).connect();
  try {
    const problem = findSchemaProblem(await readSchema(client), options.schema);
    if (problem !== undefined) throw new Error(problem);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The transaction is idle while the backup writes files between two batches.
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ id: string; highest: number; feed: number }>(
      `SELECT (SELECT value FROM store WHERE key = 'id') AS id,
         (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM entry_id) AS highest,
         (SELECT coalesce(max(sequence), 0) FROM change) AS feed`,
    );
    const [found] = rows;
    return {
      storeId: found?.id ?? '',
      engine: 'postgres',
      highestEntryId: found?.highest ?? 0,
      feedPosition: found?.feed ?? 0,
      ...rowsOfSnapshot(rowsReader(client)),
      nextNumbers: () => readNextNumbers(client),
      ledger: ledgerReader(
        statementsOn((sql, values) => runPrepared(client, sql, values), { reportDamage: () => undefined }),
      ),
      checkSchema: () => checkSchema(client, options.schema),
      async close() {
        await client.query('ROLLBACK').catch(() => undefined);
        closeClient(client);
      },
    };
  } catch (error) {
    closeClient(client);
    throw error;
  }
}

async function readNextNumbers(client: pg.Client): Promise<Record<string, number>> {
  const { rows: numbered } = await client.query<{ name: string; next: number }>(
    `SELECT "table" || '.' || "column" AS name,
       coalesce(pg_sequence_last_value(pg_get_serial_sequence("table", "column")::regclass), 0) + 1 AS next
     FROM unnest($1::text[], $2::text[]) AS numbered ("table", "column")`,
    [numberedColumns.map(([table]) => table), numberedColumns.map(([, column]) => column)],
  );
  const { rows } = await client.query<{ id: number; write: number }>(
    `SELECT (SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM entry_id) AS id,
       coalesce(${horizon} + ${newestIncarnation('xid_offset')}, 0) AS write`,
  );
  const [{ id, write } = { id: 0, write: 0 }] = rows;
  const place = write * placesPerTransaction;
  return {
    ...Object.fromEntries(numbered.map(({ name, next }) => [name, next])),
    'entry.id': id,
    'entry.write': write,
    'change.sequence': place,
    'ledger_record.sequence': place,
  };
}
