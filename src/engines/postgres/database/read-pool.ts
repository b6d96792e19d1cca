import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Fault } from '../../../kernel/fault.js';
import { storageUnavailable } from '../../../kernel/storage-faults.js';
import type { Statements } from '../../sql/statements.port.js';
import type { DocumentDamageReports } from '../../stored-document.js';
import { closeClient, type Hosts } from './hosts.js';
import { isConnectionLost, toFault } from './postgres-errors.js';
import { runPrepared, statementsOn } from './statements.js';

const retryMs = 200;

/**
 * Pool with a limited number of connections to the primary; the pool of the driver supports only one host. Statements
 * outside a transaction are read-only or idempotent, so they are repeated after a lost connection.
 */
export class ReadPool {
  private readonly idle: pg.Client[] = [];
  private readonly waiting: (() => void)[] = [];
  private openCount = 0;
  private isClosed = false;

  constructor(private readonly hosts: Hosts) {}

  /** Returns statements that each see everything committed before them. */
  statements(reports: DocumentDamageReports): Statements {
    return statementsOn((sql, values) => this.use((client) => runPrepared(client, sql, values)), reports);
  }

  /**
   * Calls `work` with a connection, and again with a new one if the connection is lost.
   * @throws Fault unavailable `storage.unavailable`, `storage.closed`
   */
  async use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const endMs = performance.now() + this.hosts.options.failoverTimeoutMs;
    for (;;) {
      try {
        return await this.useOnce(work);
      } catch (error) {
        if (this.isClosed || !isConnectionLost(error)) throw toFault(error);
        if (performance.now() + retryMs >= endMs) throw storageUnavailable(error);
        await sleep(retryMs);
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const wake of this.waiting.splice(0)) wake();
    await Promise.allSettled(this.idle.splice(0).map((client) => client.end()));
  }

  private async useOnce<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.acquire();
    let isUsable = true;
    try {
      return await work(client);
    } catch (error) {
      isUsable = !isConnectionLost(error);
      throw error;
    } finally {
      this.release(client, isUsable);
    }
  }

  private async acquire(): Promise<pg.Client> {
    while (this.idle.length === 0 && this.openCount >= this.hosts.options.poolSize && !this.isClosed) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (this.isClosed)
      throw new Fault('unavailable', 'storage.closed', 'The service is stopping. Try again in a moment.');
    const client = this.idle.pop();
    if (client) return client;
    this.openCount++;
    try {
      return await this.hosts.connect();
    } catch (error) {
      this.openCount--;
      this.waiting.shift()?.();
      throw error;
    }
  }

  private release(client: pg.Client, isUsable: boolean): void {
    if (isUsable && !this.isClosed) {
      this.idle.push(client);
    } else {
      this.openCount--;
      closeClient(client);
      // The other idle connections lead to the same server. The next statement looks for the primary.
      if (!isUsable) this.closeIdle();
    }
    this.waiting.shift()?.();
  }

  private closeIdle(): void {
    for (const client of this.idle.splice(0)) {
      this.openCount--;
      closeClient(client);
    }
  }
}
