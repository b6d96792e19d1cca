import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import type { Commit } from '../../../kernel/unit-of-work.js';
import { horizon } from './incarnation.js';
import type { ReadPool } from './read-pool.js';

const firstWaitMs = 2;
const maxWaitMs = 200;

const horizonStatement = `SELECT ${horizon} AS open_xid`;

/** Whether a commit can be read only once the transactions before it have ended. */
const isOrdered = ({ feed, entries }: Commit): boolean => feed || entries;

/**
 * Returns the number of the oldest transaction that is open, which decides whether a commit of this node can be read; 0
 * when no listener waits for that, or the connection is lost.
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
 * end before the oldest open transaction of any node.
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
    // A separate function, so that a listener that is registered twice is called twice.
    const own = (commit: Commit) => listener(commit);
    this.listeners.add(own);
    return () => this.listeners.delete(own);
  }

  /**
   * Announces a commit of this node, immediately when it can be read.
   * @param xid the number of its transaction
   * @param openXid id of the oldest transaction that was open afterwards; 0: unknown
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
    // The commit is acknowledged: a listener that fails must not affect it, the next writes or the other listeners.
    for (const listener of this.listeners) {
      try {
        listener(commit);
      } catch (error) {
        this.log.error({ err: error }, 'commit listener failed');
      }
    }
  }
}
