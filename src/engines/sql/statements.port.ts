import type { DocumentDamageReports } from '../stored-document.js';
import type { Dialect, SqlValue } from './dialect.js';

type Row = Record<string, unknown>;

/**
 * The part of a connection that the tables use. Values are written `?`, or `?1`, `?2` … where one is used twice.
 * Statements that are sent without waiting are run in their order.
 */
export interface Statements extends DocumentDamageReports {
  readonly dialect: Dialect;
  get<T extends object = Row>(sql: string, ...values: SqlValue[]): Promise<T | undefined>;
  all<T extends object = Row>(sql: string, ...values: SqlValue[]): Promise<T[]>;
  /** Returns the number of rows changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
}
