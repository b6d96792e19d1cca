import type pg from 'pg';
import type { BackupTable, Row, Value } from '../../../backup/backup-tables.js';
import type { DocumentSnapshot } from '../../../backup/document-snapshot.port.js';
import { type ColumnName, listColumns } from '../../../backup/schema.js';
import type { Log } from '../../../kernel/log.js';
import {
  batchRows,
  quotedName,
  type RowsDialect,
  type RowsStatement,
  selectNextRows,
  selectRow,
} from '../../sql/backup-rows.js';
import { ledgerReader } from '../../sql/tables/ledger.js';
import { closeClient, Hosts } from '../database/hosts.js';
import { horizon, newestIncarnation, placesPerTransaction } from '../database/incarnation.js';
import { findSchemaProblem, readSchema } from '../database/migrations.js';
import { runPrepared, statementsOn } from '../database/statements.js';
import type { PostgresOptions } from '../postgres-options.js';
import { checkSchema } from './check-schema.js';

/** The columns that backups have under another name. */
const expressions: Readonly<Partial<Record<ColumnName, string>>> = { 'entry.write': 'write_xid' };
/** Flags, which backups have as 0 or 1. */
const flags: ReadonlySet<string> = new Set(listColumns('flag').map(([table, column]) => `${table}.${column}`));

/** The columns that are numbered by a sequence. */
export const numberedColumns = listColumns('number');

const dialect: RowsDialect = {
  expressionOf(table, column) {
    const expression = expressions[`${table}.${column}` as ColumnName] ?? quotedName(column);
    return flags.has(`${table}.${column}`) ? `${expression}::integer` : expression;
  },
  parameter: (position) => `$${position}`,
};

/**
 * Opens the logbook in a database as it is at this moment, in one transaction that only reads: it keeps no node waiting.
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
      rows: (table) => readRows(client, table),
      idsInWriteOrder: () => readWriteOrder(client),
      nextNumbers: () => readNextNumbers(client),
      find: async (table, key) => (await read(client, selectRow(dialect, table, key)))[0],
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

async function* readRows(client: pg.Client, table: BackupTable): AsyncGenerator<Row[]> {
  let after: readonly Value[] | undefined;
  for (;;) {
    const rows: Row[] = await read(client, selectNextRows(dialect, table, after));
    yield rows;
    if (rows.length < batchRows) return;
    after = rows.at(-1)?.slice(0, table.key.length);
  }
}

async function* readWriteOrder(client: pg.Client): AsyncGenerator<number[]> {
  let after = { write: -1, id: 0 };
  for (;;) {
    const { rows } = await client.query<typeof after>(
      `SELECT write_xid AS write, id FROM entry WHERE (write_xid, id) > ($1, $2) ORDER BY write_xid, id LIMIT ${batchRows}`,
      [after.write, after.id],
    );
    yield rows.map(({ id }) => id);
    if (rows.length < batchRows) return;
    after = rows.at(-1) ?? after;
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
    ...{ 'entry.id': id, 'entry.write': write, 'change.sequence': place, 'ledger_record.sequence': place },
  };
}

async function read(client: pg.Client, { sql, values }: RowsStatement): Promise<Row[]> {
  const { rows } = await client.query<Value[]>({ text: sql, values: [...values], rowMode: 'array' });
  return rows;
}
