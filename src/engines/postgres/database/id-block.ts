import type pg from 'pg';
import { runPrepared } from './statements.js';

/** Maximum number of ids that one statement skips. */
const maxSkipped = 100_000;

/**
 * The ids for the new entries of one transaction, taken from the sequence together; those left over are never given.
 */
export class IdBlock {
  private free: number[] = [];
  /** Highest id of the sequence when this transaction last read it. */
  private newest = 0;

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

  /**
   * Takes ids from the sequence until it is at this one or beyond. The sequence is never set, because that could move
   * it back, below an id that another node receives in the meantime.
   * @returns whether this id was among them: then no entry has it
   */
  async pass(id: number): Promise<boolean> {
    let isTaken = false;
    while (this.newest < id) {
      // A single id shows the position of the sequence.
      const wanted = this.newest === 0 ? 1 : Math.min(id - this.newest, maxSkipped);
      const sql = `SELECT max(id) AS id, bool_or(id = $2::bigint) AS is_taken
        FROM (SELECT nextval('entry_id') AS id FROM generate_series(1, $1::integer)) AS ids`;
      const { rows } = await runPrepared(this.client, sql, [wanted, id]);
      this.newest = Number(rows[0]?.id ?? 0);
      isTaken = rows[0]?.is_taken === true;
    }
    this.free = this.free.filter((free) => free > id);
    return isTaken;
  }
}
