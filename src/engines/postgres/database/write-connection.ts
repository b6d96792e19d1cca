import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Commit } from '../../../kernel/unit-of-work.js';
import { CatalogCache } from './catalog-cache.js';
import { closeClient, type Hosts } from './hosts.js';
import { type Incarnation, openIncarnation, ownTransaction } from './incarnation.js';
import { runPrepared } from './statements.js';

/** Time without writes after which the row of a node is removed. */
const forgottenAfter = "interval '7 days'";

/**
 * Connection for the writes of this node, reopened if lost. Each transaction records its number with the node, so that
 * a transaction whose connection was lost during the commit can be looked up.
 */
export class WriteConnection {
  /** Id of this node in the database for as long as the storage is open. */
  readonly node = randomUUID();
  /** Cache for catalogue reads on the current connection. */
  catalogCache = new CatalogCache();
  private client: pg.Client | undefined;
  private opened: Incarnation | undefined;
  private newestBatch = 0;

  constructor(private readonly hosts: Hosts) {}

  /** Newest incarnation known to this node. */
  get incarnation(): Incarnation {
    if (!this.opened) throw new Error('the database was never opened');
    return this.opened;
  }

  /** Returns the connection, with no transaction open. */
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

  /** Must be called when the connection is unusable, or the state of its transaction is unknown. */
  discard(): void {
    const { client } = this;
    this.client = undefined;
    if (client) closeClient(client);
  }

  /** Rolls back the transaction, if one is open. */
  async rollBack(): Promise<void> {
    await this.client?.query('ROLLBACK').catch(() => this.discard());
  }

  /**
   * Records the open transaction. Returns `xid`, its number in the database, and `batch`, its number for
   * `wasCommitted`.
   * @param notice notification for the other nodes; undefined: none
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
   * Returns whether a transaction was committed although its connection was lost. If the server is still committing it,
   * waits for the end: the row of the node stays locked during the commit.
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
