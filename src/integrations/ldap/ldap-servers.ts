import type { Log } from '../../kernel/log.js';
import { DirectoryUnavailable, LdapConnection } from './ldap-connection.js';
import type { ConnectionSettings } from './ldap-options.js';
import { Semaphore } from './semaphore.js';

export interface Account {
  readonly dn: string;
  readonly password: string;
}

const maxSearchConnections = 4;
const maxOwnConnections = 16;
/** Shorter than what firewalls and servers commonly allow before they forget a silent connection. */
const idleMs = 30_000;
/** So long, a server that failed is asked after the others. */
const distrustMs = 30_000;

/** The servers of one directory, of which the first that answers will do. */
export class Directory {
  private readonly failedAt = new Map<string, number>();
  private readonly open = new Set<LdapConnection>();
  private readonly idle: { readonly connection: LdapConnection; readonly timer: NodeJS.Timeout }[] = [];
  private readonly searchTurns: Semaphore;
  private readonly ownTurns: Semaphore;
  private isClosed = false;

  constructor(
    private readonly settings: ConnectionSettings,
    /** Who searches; nobody in particular when undefined. */
    private readonly searcher: Account | undefined,
    private readonly log: Log,
  ) {
    this.searchTurns = new Semaphore(maxSearchConnections, settings.operationTimeoutMs);
    this.ownTurns = new Semaphore(maxOwnConnections, settings.operationTimeoutMs);
    for (const url of settings.startTls ? [] : settings.urls.filter(leavesTheMachineInTheClear)) {
      log.warn({ url }, 'passwords are sent to the LDAP server unencrypted; use ldaps:// or StartTLS');
    }
  }

  /**
   * Runs the work on a new connection, which is closed afterwards: a bind on it ends with it. The work is begun again
   * at the next server when one breaks off.
   * @throws DirectoryUnavailable when no server answers
   */
  async onOwnConnection<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    return this.ownTurns.take(() =>
      this.onFirstServer(async (connection) => {
        try {
          return await work(connection);
        } finally {
          this.drop(connection);
        }
      }),
    );
  }

  /**
   * Runs the work, which must only search, on a connection that is kept. It is begun again on a new one when the
   * one that was kept turns out to be dead, as after a restart of the directory.
   * @throws DirectoryUnavailable when no server answers
   */
  async asSearcher<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    return this.searchTurns.take(async () => {
      const kept = this.takeIdle();
      if (kept) {
        try {
          return await this.keeping(kept, work);
        } catch (error) {
          if (!(error instanceof DirectoryUnavailable)) throw error;
          this.dropIdle();
        }
      }
      return this.onFirstServer((connection) =>
        this.keeping(connection, async () => {
          await this.bindSearcher(connection);
          return work(connection);
        }),
      );
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    await Promise.all([...this.open].map((connection) => connection.close()));
  }

  private async onFirstServer<T>(work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    const troubles: unknown[] = [];
    for (const url of this.serversInOrder()) {
      if (this.isClosed) throw new DirectoryUnavailable('the service shuts down');
      try {
        const connection = await LdapConnection.open(url, this.settings);
        this.open.add(connection);
        const result = await work(connection);
        this.failedAt.delete(url);
        return result;
      } catch (error) {
        if (!(error instanceof DirectoryUnavailable)) throw error;
        if (this.settings.urls.length > 1)
          this.log.warn({ url, err: error }, 'LDAP server failed; trying the others first');
        this.failedAt.set(url, performance.now());
        troubles.push(error);
      }
    }
    throw new DirectoryUnavailable('no server of the directory answers', {
      cause: troubles.length === 1 ? troubles[0] : new AggregateError(troubles),
    });
  }

  private serversInOrder(): string[] {
    const since = performance.now() - distrustMs;
    const failed = (url: string) => Number((this.failedAt.get(url) ?? Number.NEGATIVE_INFINITY) > since);
    return [...this.settings.urls].sort((a, b) => failed(a) - failed(b));
  }

  private async bindSearcher(connection: LdapConnection): Promise<void> {
    if (this.searcher === undefined) return;
    const answer = await connection.bind(this.searcher.dn, this.searcher.password);
    if (!answer.accepted) throw new Error(`the directory does not accept the manager account: ${answer.diagnostic}`);
  }

  private async keeping<T>(connection: LdapConnection, work: (connection: LdapConnection) => Promise<T>): Promise<T> {
    try {
      const result = await work(connection);
      this.putIdle(connection);
      return result;
    } catch (error) {
      this.drop(connection);
      throw error;
    }
  }

  private putIdle(connection: LdapConnection): void {
    if (this.isClosed) {
      this.drop(connection);
      return;
    }
    const timer = setTimeout(() => {
      this.idle.splice(
        this.idle.findIndex((kept) => kept.connection === connection),
        1,
      );
      this.drop(connection);
    }, idleMs).unref();
    this.idle.push({ connection, timer });
  }

  private takeIdle(): LdapConnection | undefined {
    for (let kept = this.idle.pop(); kept !== undefined; kept = this.idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.connection.isOpen) return kept.connection;
      this.drop(kept.connection);
    }
    return undefined;
  }

  private dropIdle(): void {
    for (const { connection, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      this.drop(connection);
    }
  }

  private drop(connection: LdapConnection): void {
    void connection.close().finally(() => this.open.delete(connection));
  }
}

function leavesTheMachineInTheClear(url: string): boolean {
  return !/^ldaps:|^ldap:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/i.test(url);
}
