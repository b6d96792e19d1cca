import type { SQLInputValue } from 'node:sqlite';
import type { Dialect, SqlValue } from '../../sql/dialect.js';
import type { Statements } from '../../sql/statements.port.js';
import type { Statements as SyncStatements } from './connection.js';

const sqliteDialect: Dialect = {
  isShared: false,
  isRemote: false,
  // Kept small, because reading blocks the event loop.
  readTogetherBytes: 32_768,
  // Transactions end in the order of their changes.
  inFinalOrder: 'TRUE',
  forUpdate: '',
  withGivenNumbers: '',
  // Writes always wait for one another.
  lock: undefined,
  // One id suffices: writes wait for one another, so the following ids are free.
  nextAuditIds: "SELECT seq + 1 AS id FROM sqlite_sequence WHERE name = 'audit' LIMIT ?",
  isIn: (column, _type, value = '?') => `${column} IN (SELECT value FROM json_each(${value}))`,
  isSet: (column) => `${column} = 1`,
  records(name, columns) {
    const values = Object.keys(columns).map((column) => `value ->> '$.${column}' AS ${column}`);
    return `(SELECT ${values.join(', ')} FROM json_each(?)) AS ${name}`;
  },
  textOf: (value) => `CAST(${value} AS TEXT)`,
  bytesOf: (column) => `CAST(${column} AS BLOB)`,
};

/**
 * Wraps the statements of a connection for stores that are independent of the engine. Each statement runs when it is
 * called. The write queue runs units of work one by one, so their statements never interleave.
 */
export function asyncStatements(connection: SyncStatements): Statements {
  return {
    dialect: sqliteDialect,
    get: async (sql, ...values) => connection.get(sql, ...toInputs(values)) as never,
    all: async (sql, ...values) => connection.all(sql, ...toInputs(values)) as never,
    run: async (sql, ...values) => connection.run(sql, ...toInputs(values)),
    reportDamage: connection.reportDamage,
  };
}

/** Converts values to the types that SQLite accepts. */
export const toInputs = (values: readonly SqlValue[]): SQLInputValue[] => values.map(toInput);

function toInput(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
}
