import pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import type { PostgresHost, PostgresOptions } from '../postgres-options.js';

/** Type id of 64-bit integers. The driver returns them as strings; all of ours are exact as numbers. */
const bigintOid = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === bigintOid && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/** SQLSTATE of a connection that could not be established; the failed statement is repeated. */
const unableToConnect = '08001';

/**
 * Time after which the server ends a session with an idle open transaction, which would hold back the change feed for
 * all nodes.
 */
const idleInTransactionMs = 30_000;
/** Extra time beyond the server's limit before the driver gives up a connection. */
const answerMarginMs = 5_000;

/** Finds the primary among several servers, and connects to it. */
export class Hosts {
  /** Index of the host that is tried first: the last known primary. */
  private first = 0;
  private problem = '';

  constructor(
    readonly options: PostgresOptions,
    private readonly log: Log,
  ) {}

  /** Host of the newest connection. */
  get current(): PostgresHost {
    return this.options.hosts[this.first] ?? { host: '', port: 0 };
  }

  /**
   * Connects to the primary.
   * @throws Error with the reason for each host when none is the primary
   */
  async connect(): Promise<pg.Client> {
    const { hosts } = this.options;
    const reasons: string[] = [];
    for (let tried = 0; tried < hosts.length; tried++) {
      const index = (this.first + tried) % hosts.length;
      const host = hosts[index];
      if (!host) break;
      try {
        const client = await this.connectTo(host);
        this.first = index;
        this.noteProblem('');
        return client;
      } catch (error) {
        reasons.push(`${host.host}:${host.port}: ${error instanceof Error ? error.message || error.name : error}`);
      }
    }
    const problem = reasons.join('; ');
    this.noteProblem(problem);
    throw Object.assign(new Error(`None of the PostgreSQL hosts can be used: ${problem}`), { code: unableToConnect });
  }

  private async connectTo({ host, port }: PostgresHost): Promise<pg.Client> {
    const { database, user, password, schema, connectTimeoutMs, statementTimeoutMs, tls } = this.options;
    const client = new pg.Client({
      host,
      port,
      database,
      user,
      password,
      types,
      ssl:
        tls.kind === 'off'
          ? false
          : { rejectUnauthorized: true, ...(tls.caCertificates && { ca: tls.caCertificates }) },
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      lock_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      query_timeout: statementTimeoutMs + answerMarginMs,
      keepAlive: true,
      // Statements are sent before earlier ones are answered, unless the caller waits.
      pipeline: true,
      application_name: 'logbook',
      options: `-c search_path=${schema}`,
    });
    // A lost connection would end the process if nothing listened for its error. The next statement fails with the
    // reason.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ refuses: boolean }>(
        "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS refuses",
      );
      if (rows[0]?.refuses) throw new Error('it is a standby or read-only');
      return client;
    } catch (error) {
      closeClient(client);
      throw error;
    }
  }

  /** Logs a reason once rather than at each attempt. */
  private noteProblem(problem: string): void {
    if (problem === this.problem) return;
    this.problem = problem;
    if (problem === '') this.log.info({ ...this.current }, 'database connected');
    else this.log.error({ reason: problem }, 'database not reachable; will retry');
  }
}

/** Closes a connection in any state, without waiting for its server. */
export function closeClient(client: pg.Client): void {
  client.end().catch(() => undefined);
  // An unresponsive server would otherwise keep the connection open.
  const { stream } = (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection ?? {};
  setTimeout(() => stream?.destroy(), 1_000).unref();
}
