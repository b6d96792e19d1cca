import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Commit } from '../../../kernel/unit-of-work.js';
import { CatalogCache } from './catalog-cache.js';
import { closeClient, type Hosts } from './hosts.js';
import { type Incarnation, openIncarnation, ownTransaction } from './incarnation.js';
import { runPrepared } from './statements.js';

/** Rows of nodes that have not written for longer are removed. */
const forgottenAfter = "interval '7 days'";

/**
 * The connection on which this node writes, reopened when it was lost. Each transaction records its number with the
 * name of the node: that tells what became of one whose connection was lost while it was committed.
 */
export class WriteConnection {
  /** Identifies this node in the database, for as long as the storage is open. */
  readonly node = randomUUID();
  /** Cache for reads on the present connection. */
  catalogCache = new CatalogCache();
  private client: pg.Client | undefined;
  private opened: Incarnation | undefined;
  private newestBatch = 0;

  constructor(private readonly hosts: Hosts) {}

  /** The newest incarnation that this node knows. */
  get incarnation(): Incarnation {
    if (!this.opened) throw new Error('the database was never opened');
    return this.opened;
  }

  /** Returns the connection, which has no transaction open. */
  async get(): Promise<pg.Client> {
    if (this.client) return this.client;
    const client = await this.hosts.connect();
    this.catalogCache = new CatalogCache();
    try {
      this.opened = await openIncarnation(client);
      await client.query('INSERT INTO node (id, batch, seen) VALUES ($1, 0, now()) ON CONFLICT DO NOTHING', [
        this.node,
      ]);
      await client.query(`DELETE FROM node WHERE seen < now() - ${forgottenAfter}`);
    } catch (error) {
      closeClient(client);
      throw error;
    }
    this.client = client;
    return client;
  }

  /** To be called when the connection can no longer be used, or the state of its transaction is not known. */
  discard(): void {
    const { client } = this;
    this.client = undefined;
    if (client) closeClient(client);
  }

  /** Ends the transaction that may be open. */
  async rollBack(): Promise<void> {
    await this.client?.query('ROLLBACK').catch(() => this.discard());
  }

  /**
   * Records the transaction that is open; returns its own number in the database and the one by which to ask for it.
   * @param notice notification to the other nodes; undefined: none
   */
  async recordBatch(
    client: pg.Client,
    notice: { readonly channel: string; readonly changed: Commit } | undefined,
  ): Promise<{ readonly batch: number; readonly xid: number }> {
    this.newestBatch += 1;
    const record = `INSERT INTO node (id, batch, seen) VALUES ($1, $2, now())
      ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, seen = excluded.seen RETURNING ${ownTransaction} AS xid`;
    const notify = `, pg_notify($3, json_build_object('node', $1::text, 'xid', ${ownTransaction}, 'changed', $4::json)::text)`;
    const values = [this.node, this.newestBatch];
    const { rows } = notice
      ? await runPrepared(client, record + notify, [...values, notice.channel, JSON.stringify(notice.changed)])
      : await runPrepared(client, record, values);
    return { batch: this.newestBatch, xid: (rows[0] as { xid?: number } | undefined)?.xid ?? 0 };
  }

  /**
   * Returns whether a transaction was committed whose connection was lost. Waits for its end, should its server still be
   * committing it: the row of the node is locked until then.
   */
  async wasCommitted(batch: number): Promise<boolean> {
    const client = await this.get();
    const { rows } = await client.query<{ batch: number }>('SELECT batch FROM node WHERE id = $1 FOR UPDATE', [
      this.node,
    ]);
    return (rows[0]?.batch ?? 0) >= batch;
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.query('DELETE FROM node WHERE id = $1', [this.node]).catch(() => undefined);
    await client?.end().catch(() => undefined);
  }
}
