import type pg from 'pg';
import { runPrepared } from './statements.js';

/** The ids for the new entries of one transaction, taken from the sequence together; those left over are never given. */
export class IdBlock {
  private free: number[] = [];

  constructor(private readonly client: pg.Client) {}

  /** @param wanted how many ids may be needed in this transaction, this one included */
  async next(wanted: number): Promise<number> {
    if (this.free.length === 0) {
      const sql = "SELECT nextval('entry_id') AS id FROM generate_series(1, $1::integer)";
      const { rows } = await runPrepared(this.client, sql, [wanted]);
      this.free = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
    }
    const id = this.free.shift();
    if (id === undefined) throw new Error('no id for a new entry');
    return id;
  }
}
