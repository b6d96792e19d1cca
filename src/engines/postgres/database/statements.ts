import type pg from 'pg';
import type { DocumentDamageReports } from '../../stored-document.js';

export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];
type Row = Record<string, unknown>;

/** The part of a connection that the tables use. Values are written `$1`, `$2` … in the statements. */
export interface Statements extends DocumentDamageReports {
  get<T extends object = Row>(sql: string, ...values: SqlValue[]): Promise<T | undefined>;
  all<T extends object = Row>(sql: string, ...values: SqlValue[]): Promise<T[]>;
  /** Returns the number of rows changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
}

/** Runs one statement. */
export type RunStatement = (sql: string, values: readonly SqlValue[]) => Promise<pg.QueryResult<Row>>;

export function statementsOn(run: RunStatement, { reportDamage }: DocumentDamageReports): Statements {
  return {
    get: async (sql, ...values) => (await run(sql, values)).rows[0] as never,
    all: async (sql, ...values) => (await run(sql, values)).rows as never,
    run: async (sql, ...values) => (await run(sql, values)).rowCount ?? 0,
    reportDamage,
  };
}

const names = new Map<string, string>();

/** Runs a statement as a prepared one: each connection parses it once. */
export function runPrepared(client: pg.Client, sql: string, values: readonly SqlValue[]): Promise<pg.QueryResult<Row>> {
  let name = names.get(sql);
  if (name === undefined) {
    name = `logbook_${names.size}`;
    names.set(sql, name);
  }
  return client.query<Row>({ name, text: sql, values: values.map(withoutNull) });
}

/** PostgreSQL stores no character NUL in a text; in JSON it is written differently anyway. */
function withoutNull(value: SqlValue): SqlValue {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? value : Buffer.from(value);
  return Array.isArray(value)
    ? value.map((item: string | number | null) => withoutNull(item) as string | number | null)
    : value;
}
