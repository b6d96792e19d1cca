import type pg from 'pg';

/** A step from one schema to the next. Never change one that has shipped. */
export interface Migration {
  /**
   * The lowest schema whose program can use the database after this step: steps that only add let the previous version
   * run next to the new one while nodes are upgraded one after the other.
   */
  readonly usableFrom: number;
  readonly sql: string;
  /** Stores the rows that the new tables begin with. */
  readonly addRows?: (client: pg.Client) => Promise<void>;
}
