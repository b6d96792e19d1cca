import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import type { Commit } from '../../../kernel/unit-of-work.js';
import type { CommitAnnouncer } from './commit-announcer.js';
import { closeClient, type Hosts } from './hosts.js';

const retryMs = 500;
/** Interval between checks of a silent connection, whose server may have disappeared unnoticed. */
const checkIntervalMs = 5_000;

interface Notification {
  readonly node: string;
  readonly xid: number;
  readonly changed: Commit;
}

interface Deps {
  readonly hosts: Hosts;
  readonly channel: string;
  readonly node: string;
  readonly announcer: CommitAnnouncer;
  readonly log: Log;
}

/**
 * Announces the commits of other nodes. After a lost connection is restored, everything counts as changed, because
 * notifications may have been missed.
 */
export class ChangeListener {
  private client: pg.Client | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(private readonly deps: Deps) {}

  /** Resolves once further commits of other nodes will be announced. */
  async start(): Promise<void> {
    this.client = await this.listen();
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.client) closeClient(this.client);
    await this.running;
  }

  private async listen(): Promise<pg.Client> {
    const client = await this.deps.hosts.connect();
    try {
      client.on('notification', ({ payload }) => this.receive(payload));
      await client.query(`LISTEN ${this.deps.channel}`);
      return client;
    } catch (error) {
      closeClient(client);
      throw error;
    }
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        this.client ??= await this.reopen();
        await sleep(checkIntervalMs, undefined, { signal });
        await this.client.query('SELECT 1');
      } catch (error) {
        // A connection that was opened during `stop` is closed, too.
        if (this.client) closeClient(this.client);
        this.client = undefined;
        if (signal.aborted) return;
        this.deps.log.warn({ err: error }, 'notifications of other nodes interrupted; will retry');
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async reopen(): Promise<pg.Client> {
    const client = await this.listen();
    this.deps.announcer.announceAll();
    return client;
  }

  private receive(payload: string | undefined): void {
    if (payload === undefined || payload === '') return;
    try {
      const { node, xid, changed } = JSON.parse(payload) as Notification;
      // This node's own commits are announced when they complete.
      if (node !== this.deps.node) this.deps.announcer.announceLater(changed, xid);
    } catch (error) {
      this.deps.log.warn({ err: error }, 'notification of another node not understood');
      this.deps.announcer.announceAll();
    }
  }
}
