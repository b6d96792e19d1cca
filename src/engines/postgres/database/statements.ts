import type pg from 'pg';
import type { SqlValue } from '../../sql/dialect.js';
import type { Statements } from '../../sql/statements.port.js';
import type { DocumentDamageReports } from '../../stored-document.js';
import { postgresDialect } from './dialect.js';

type Row = Record<string, unknown>;

export type RunStatement = (sql: string, values: readonly SqlValue[]) => Promise<pg.QueryResult<Row>>;

export function statementsOn(run: RunStatement, { reportDamage }: DocumentDamageReports): Statements {
  return {
    dialect: postgresDialect,
    get: async (sql, ...values) => (await run(sql, values)).rows[0] as never,
    all: async (sql, ...values) => (await run(sql, values)).rows as never,
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
    reportDamage,
  };
}

interface Prepared {
  readonly name: string;
  readonly text: string;
}

const known = new Map<string, Prepared>();

/** Runs a prepared statement, which each connection parses once. Placeholders may be written `$1` or `?`. */
export function runPrepared(client: pg.Client, sql: string, values: readonly SqlValue[]): Promise<pg.QueryResult<Row>> {
  let prepared = known.get(sql);
  if (prepared === undefined) {
    prepared = { name: `logbook_${known.size}`, text: numberValues(sql) };
    known.set(sql, prepared);
  }
  return client.query<Row>({ ...prepared, values: values.map(withoutNull) });
}

/** Replaces `?` by `$1`, `$2` …, and `?1` by `$1`. No statement uses a question mark for another purpose. */
function numberValues(sql: string): string {
  let count = 0;
  return sql.replaceAll(/\?(\d*)/g, (_, number: string) => `$${number === '' ? ++count : number}`);
}

/** Replaces NUL characters, which PostgreSQL cannot store as text; in JSON they are escaped anyway. */
function withoutNull(value: SqlValue): SqlValue {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? value : Buffer.from(value);
  return Array.isArray(value)
    ? value.map((item: string | number | null) => withoutNull(item) as string | number | null)
    : value;
}
