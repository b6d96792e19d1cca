import type pg from 'pg';
import { runPrepared } from './statements.js';

/** Maximum number of ids that one statement skips. */
const maxSkipped = 100_000;

/** Ids for the new entries of one transaction, taken from the sequence together; unused ids are never assigned. */
export class IdBlock {
  private free: number[] = [];
  /** Highest id of the sequence when this transaction last read it. */
  private newest = 0;

  constructor(private readonly client: pg.Client) {}

  /** @param wanted number of ids that this transaction may still need, including this one */
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
   * Advances the sequence to at least this id by taking ids from it. Setting the sequence could move it below an id
   * that another node takes concurrently.
   * @returns whether this id was taken here, so that no entry has it
   */
  async pass(id: number): Promise<boolean> {
    let isTaken = false;
    while (this.newest < id) {
      // Taking a single id reveals the position of the sequence.
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
