import type { DocumentDamageReports } from '../stored-document.js';
import type { Dialect, SqlValue } from './dialect.js';

type Row = Record<string, unknown>;

/**
 * Part of a connection that the tables use. Placeholders are `?`, or `?1`, `?2` … if a value is used twice. Statements
 * sent without awaiting run in the order of the calls.
 */
export interface Statements extends DocumentDamageReports {
  readonly dialect: Dialect;
  get<T extends object = Row>(sql: string, ...values: SqlValue[]): Promise<T | undefined>;
  all<T extends object = Row>(sql: string, ...values: SqlValue[]): Promise<T[]>;
  /** Returns the number of rows changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
}
