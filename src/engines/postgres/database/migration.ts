import type pg from 'pg';

/** A step from one schema to the next. Never change one that has shipped. */
export interface Migration {
  /**
   * Lowest schema whose program can use the database after this step. Steps that only add objects keep the previous
   * version working during a rolling upgrade.
   */
  readonly usableFrom: number;
  readonly sql: string;
  /** Stores the initial rows of the new tables. */
  readonly addRows?: (client: pg.Client) => Promise<void>;
}
