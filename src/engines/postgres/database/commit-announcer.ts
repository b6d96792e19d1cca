import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import type { Commit } from '../../../kernel/unit-of-work.js';
import { horizon } from './incarnation.js';
import type { ReadPool } from './read-pool.js';

const firstWaitMs = 2;
const maxWaitMs = 200;

const horizonStatement = `SELECT ${horizon} AS open_xid`;

/** Whether a commit becomes readable only after all earlier transactions have ended. */
const isOrdered = ({ feed, entries }: Commit): boolean => feed || entries;

/**
 * Returns the number of the oldest open transaction, which decides whether a commit of this node can be read; 0 if the
 * order does not matter for the commit, or if the connection is lost.
 */
export async function findOpenXid(changed: Commit, client: pg.Client): Promise<number> {
  if (!isOrdered(changed)) return 0;
  return client.query<{ open_xid: number }>(horizonStatement).then(
    ({ rows }) => rows[0]?.open_xid ?? 0,
    () => 0,
  );
}

/**
 * Calls the commit listeners once the commit can be read in the change feed and in the sequence of entry writes. Both
 * contain only transactions older than the oldest open one on any node.
 */
export class CommitAnnouncer {
  private readonly listeners = new Set<(commit: Commit) => void>();
  private waiting: { readonly changed: Commit; readonly xid: number }[] = [];
  private following: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly pool: ReadPool,
    private readonly log: Log,
  ) {}

  listen(listener: (commit: Commit) => void): () => void {
    // The wrapper makes each registration distinct, so that a listener registered twice is called twice.
    const own = (commit: Commit) => listener(commit);
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  /**
   * Announces a commit of this node as soon as it can be read.
   * @param xid number of its transaction
   * @param openXid number of the oldest transaction still open after the commit; 0: unknown
   */
  announceOwn(changed: Commit, xid: number, openXid: number): void {
    if (!isOrdered(changed) || openXid > xid) this.call(changed);
    else this.announceLater(changed, xid);
  }

  announceLater(changed: Commit, xid: number): void {
    this.waiting.push({ changed, xid });
    this.following ??= this.follow().finally(() => {
      this.following = undefined;
    });
  }

  /** Announces that anything may have changed. */
  announceAll(): void {
    this.call({ entries: true, entryIds: undefined, feed: true, files: true, catalog: true });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.following;
  }

  private async follow(): Promise<void> {
    for (
      let waitMs = firstWaitMs;
      this.waiting.length > 0 && !this.isClosed;
      waitMs = Math.min(2 * waitMs, maxWaitMs)
    ) {
      const openXid = await this.pool
        .use((client) => client.query<{ open_xid: number }>(horizonStatement))
        .then(({ rows }) => rows[0]?.open_xid ?? 0)
        .catch(() => 0);
      const ready = this.waiting.filter(({ xid }) => xid < openXid);
      this.waiting = this.waiting.filter(({ xid }) => xid >= openXid);
      for (const { changed } of ready) this.call(changed);
      if (this.waiting.length > 0) await sleep(waitMs);
    }
  }

  private call(commit: Commit): void {
    // The commit is acknowledged: a failing listener must not affect the commit, later writes or other listeners.
    for (const listener of this.listeners) {
      try {
        listener(commit);
      } catch (error) {
        this.log.error({ err: error }, 'commit listener failed');
      }
    }
  }
}
