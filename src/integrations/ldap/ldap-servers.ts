import { FairQueue, QueueFull } from '../../kernel/fair-queue.js';
import type { Log } from '../../kernel/log.js';
import { DirectoryUnavailable, LdapConnection } from './ldap-connection.js';
import type { LdapConnectionOptions, ServiceAccount } from './ldap-options.js';
import { ReferralLog } from './referrals.js';

const maxBindConnections = 16;
const maxSearchConnections = 4;
/** Idle time-out, shorter than those of common firewalls and servers. */
const idleTimeoutMs = 30_000;
/** Time for which a server that failed is tried after the others. */
const failurePenaltyMs = 30_000;

type Work<T> = (connection: LdapConnection) => Promise<T>;

/** The interchangeable servers of one directory: work runs on the first server that responds. */
export class LdapServers {
  private readonly failedAt = new Map<string, number>();
  private readonly connections = new Set<LdapConnection>();
  private readonly idle: { readonly connection: LdapConnection; readonly timer: NodeJS.Timeout }[] = [];
  private readonly bindQueue = queueOf(maxBindConnections);
  private readonly searchQueue = queueOf(maxSearchConnections);
  private readonly referrals: ReferralLog;
  private isClosed = false;

  constructor(
    private readonly options: LdapConnectionOptions,
    /** Account for searches; undefined: searches are anonymous. */
    private readonly serviceAccount: ServiceAccount | undefined,
    private readonly log: Log,
  ) {
    this.referrals = new ReferralLog(log);
    for (const url of options.startTls ? [] : options.urls.filter(isUnencryptedRemote)) {
      log.warn({ url }, 'passwords are sent to the LDAP server unencrypted; use ldaps:// or StartTLS');
    }
  }

  /**
   * Runs the work on a new connection and closes it afterwards, so that no other work inherits a user's bind. When a
   * server fails, the work starts over on the next one.
   * @throws DirectoryUnavailable when all servers fail
   */
  async withBindConnection<T>(work: Work<T>): Promise<T> {
    return this.inTurn(this.bindQueue, () =>
      this.onFirstServer(async (connection) => {
        try {
          return await work(connection);
        } finally {
          this.discard(connection);
        }
      }),
    );
  }

  /**
   * Runs the work, which must not bind, on a pooled connection of the service account. When the pooled connection has
   * failed, for example after a restart of the server, the work starts over on a new one.
   * @throws DirectoryUnavailable when all servers fail
   */
  async withSearchConnection<T>(work: Work<T>): Promise<T> {
    return this.inTurn(this.searchQueue, async () => {
      const pooled = this.takeIdle();
      if (pooled) {
        try {
          return await this.runPooled(pooled, work);
        } catch (error) {
          if (!(error instanceof DirectoryUnavailable)) throw error;
          this.discardIdle();
        }
      }
      return this.onFirstServer((connection) =>
        this.runPooled(connection, async () => {
          await this.bindServiceAccount(connection);
          return work(connection);
        }),
      );
    });
  }

  private async inTurn<T>(queue: FairQueue, work: () => Promise<T>): Promise<T> {
    const maxWaitMs = this.options.operationTimeoutMs;
    try {
      return await queue.run('', work, { maxWaitMs });
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      const running = `${queue.limits.slots} LDAP requests`;
      throw new DirectoryUnavailable(`${running} have been running for ${maxWaitMs} ms or more`);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    await Promise.all([...this.connections].map((connection) => connection.close()));
  }

  private async onFirstServer<T>(work: Work<T>): Promise<T> {
    const errors: unknown[] = [];
    for (const url of this.listServersInOrder()) {
      if (this.isClosed) throw new DirectoryUnavailable('the service is shutting down');
      try {
        const connection = await LdapConnection.open(url, this.options, this.referrals.note);
        this.connections.add(connection);
        const result = await work(connection);
        this.failedAt.delete(url);
        return result;
      } catch (error) {
        if (!(error instanceof DirectoryUnavailable)) throw error;
        if (this.options.urls.length > 1) {
          this.log.warn({ url, err: error }, 'LDAP server failed; trying the others first');
        }
        this.failedAt.set(url, performance.now());
        errors.push(error);
      }
    }
    throw new DirectoryUnavailable('no LDAP server is available', {
      cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
    });
  }

  private listServersInOrder(): string[] {
    const penalizedSince = performance.now() - failurePenaltyMs;
    const penalty = (url: string) => Number((this.failedAt.get(url) ?? Number.NEGATIVE_INFINITY) > penalizedSince);
    return [...this.options.urls].sort((a, b) => penalty(a) - penalty(b));
  }

  private async bindServiceAccount(connection: LdapConnection): Promise<void> {
    if (this.serviceAccount === undefined) return;
    const result = await connection.bind(this.serviceAccount.dn, this.serviceAccount.password);
    if (!result.accepted) throw new Error(`the LDAP server refuses the manager account: ${result.diagnostic}`);
  }

  /** Runs the work, then adds the connection to the pool; closes it if the work fails. */
  private async runPooled<T>(connection: LdapConnection, work: Work<T>): Promise<T> {
    try {
      const result = await work(connection);
      this.addIdle(connection);
      return result;
    } catch (error) {
      this.discard(connection);
      throw error;
    }
  }

  private addIdle(connection: LdapConnection): void {
    if (this.isClosed) {
      this.discard(connection);
      return;
    }
    const timer = setTimeout(() => {
      this.idle.splice(
        this.idle.findIndex((pooled) => pooled.connection === connection),
        1,
      );
      this.discard(connection);
    }, idleTimeoutMs).unref();
    this.idle.push({ connection, timer });
  }

  private takeIdle(): LdapConnection | undefined {
    for (let pooled = this.idle.pop(); pooled !== undefined; pooled = this.idle.pop()) {
      clearTimeout(pooled.timer);
      if (pooled.connection.isOpen) return pooled.connection;
      this.discard(pooled.connection);
    }
    return undefined;
  }

  private discardIdle(): void {
    for (const { connection, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      this.discard(connection);
    }
  }

  private discard(connection: LdapConnection): void {
    void connection.close().finally(() => this.connections.delete(connection));
  }
}

/** Returns a queue that does not limit clients, because their sign-ins have already taken turns. */
function queueOf(slots: number): FairQueue {
  const unlimited = Number.POSITIVE_INFINITY;
  return new FairQueue({ slots, slotsPerClient: slots, waitingPerClient: unlimited, waiting: unlimited });
}

function isUnencryptedRemote(url: string): boolean {
  return !/^ldaps:|^ldap:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/i.test(url);
}
