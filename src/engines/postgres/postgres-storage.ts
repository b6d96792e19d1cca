import { refusalOf } from '../../backup/restore-mark.js';
import type { EntryCopyReader } from '../../entries/entry-copies.port.js';
import { CachedCheck } from '../../kernel/cached-check.js';
import type { DamageReports } from '../../kernel/integrity.js';
import type { Log } from '../../kernel/log.js';
import type { StorageStatus } from '../../kernel/storage-status.js';
import { checkWrite, healthValidMs } from '../check-write.js';
import type { Statements } from '../sql/statements.port.js';
import { putValue } from '../sql/store-values.js';
import type { Storage } from '../storage.port.js';
import type { DocumentDamageReports } from '../stored-document.js';
import { describeSchema, findRestoreMark } from './backup/postgres-restore-mark.js';
import { readCatalogRevision } from './database/catalog-cache.js';
import { ChangeListener } from './database/change-listener.js';
import { CommitAnnouncer } from './database/commit-announcer.js';
import { Hosts } from './database/hosts.js';
import { migrateInTurn } from './database/migrate-in-turn.js';
import type { SchemaVersion } from './database/migrations.js';
import { ReadPool } from './database/read-pool.js';
import { requireSchema } from './database/require-schema.js';
import { WriteConnection } from './database/write-connection.js';
import { PostgresWriteQueue } from './database/write-queue.js';
import type { PostgresOptions } from './postgres-options.js';
import { committedOn } from './postgres-transaction.js';
import { entryCopyReader } from './tables/entry-copies.js';
import { PostgresFailureCounts } from './tables/failure-counts.js';
import { leaseStore } from './tables/leases.js';
import { PostgresPendingSignIns } from './tables/pending-sign-ins.js';

/** Time limit for a migration, whose steps may read large tables. */
const migrationTimeoutMs = 86_400_000;
const writeMessages = {
  stored: 'A test record was stored in PostgreSQL.',
  explain: () => 'The test record was not stored in PostgreSQL in time; the log of the service has the reason.',
};

interface Deps {
  readonly log: Log;
  readonly integrity: DamageReports;
  /** Whether this process has just restored the logbook; otherwise, a logbook with a restore mark is refused. */
  readonly isBeingRestored?: boolean;
}

interface Parts {
  readonly hosts: Hosts;
  readonly pool: ReadPool;
  readonly statements: Statements;
  readonly connection: WriteConnection;
  readonly queue: PostgresWriteQueue;
  readonly announcer: CommitAnnouncer;
  readonly listener: ChangeListener;
}

/** Storage, with the reader from which the nodes fill their replicas. */
export interface PostgresStorage extends Storage {
  readonly entryCopies: EntryCopyReader;
}

/**
 * Opens the storage in a PostgreSQL database, which several nodes may use concurrently. All writes of this node share
 * one connection; reads use others, and see everything that any node has committed.
 * @throws Error that says why the database cannot be used
 */
export async function openPostgresStorage(
  options: PostgresOptions,
  { log, integrity, isBeingRestored = false }: Deps,
): Promise<PostgresStorage> {
  const hosts = new Hosts(options, log);
  await checkSchema(hosts, isBeingRestored);
  const place = `${options.database}.${options.schema}`;
  const reports: DocumentDamageReports = { reportDamage: (damage) => integrity.report({ ...damage, path: place }) };
  const pool = new ReadPool(hosts);
  const statements = pool.statements(reports);
  const connection = new WriteConnection(hosts);
  const announcer = new CommitAnnouncer(pool, log);
  const channel = `logbook_${options.schema}`;
  const listener = new ChangeListener({ hosts, channel, node: connection.node, announcer, log });
  const queue = new PostgresWriteQueue({
    connection,
    reports,
    channel,
    failoverTimeoutMs: options.failoverTimeoutMs,
    afterCommit: (changed, xid, openXid) => announcer.announceOwn(changed, xid, openXid),
  });
  announcer.listen(({ catalog }) => {
    if (catalog) connection.catalogCache.clear();
  });
  const parts = { hosts, pool, statements, connection, queue, announcer, listener };
  try {
    await connection.get();
    await listener.start();
  } catch (error) {
    await close(parts);
    throw error;
  }
  return toStorage(parts);
}

function toStorage(parts: Parts): PostgresStorage {
  const { hosts, pool, statements, queue, announcer } = parts;
  const probe = () => pool.use(() => putValue(statements, 'probe', String(Date.now())));
  const health = new CachedCheck(healthValidMs, async () => [await checkWrite(probe, writeMessages)]);
  let closing: Promise<void> | undefined;
  return {
    committed: committedOn(statements),
    // Not needed: the server's page checksums and `verify` detect damage.
    rowVerification: undefined,
    write: (work) => queue.add(work),
    remove: (work) => queue.add(work),
    onCommit: (listener) => announcer.listen(listener),
    catalogRevision: () => readCatalogRevision(statements),
    status: () => readStatus(statements, hosts),
    checkHealth: () => health.read(),
    entryCopies: entryCopyReader(statements),
    leases: leaseStore(statements),
    signInState: { pending: new PostgresPendingSignIns(pool), failures: new PostgresFailureCounts(pool) },
    close: () => (closing ??= close(parts)),
  };
}

async function close({ queue, listener, announcer, connection, pool }: Parts): Promise<void> {
  await queue.close();
  await listener.stop();
  await announcer.close();
  await connection.close();
  await pool.close();
}

/**
 * Reads the status of the storage. Only the server of the last connection is probed; the others count as not in use.
 */
async function readStatus(statements: Statements, hosts: Hosts): Promise<StorageStatus> {
  const sql = "SELECT value FROM store WHERE key = 'id'";
  const found = await statements.get<{ value: string }>(sql).catch(() => undefined);
  const state = found ? 'CONNECTED' : 'DISCONNECTED';
  const servers = hosts.options.hosts.map((host) => ({
    address: `${host.host}:${host.port}`,
    state: host === hosts.current ? state : 'NOT_IN_USE',
  }));
  return { engine: 'POSTGRESQL', servers, state, storeId: found?.value ?? '' };
}

async function checkSchema(hosts: Hosts, isBeingRestored: boolean): Promise<void> {
  const client = await hosts.connect();
  try {
    await requireSchema(client, hosts.options.schema);
    const mark = isBeingRestored ? undefined : await findRestoreMark(client);
    if (mark) throw refusalOf(mark, describeSchema(hosts.options));
  } finally {
    await client.end();
  }
}

/** Creates the tables of a logbook, or migrates them to the newest schema; see `migrateInTurn`. */
export async function migratePostgres(
  options: PostgresOptions,
  log: Log,
  runtimeRole: string | undefined,
  patienceMs?: number,
): Promise<SchemaVersion> {
  const client = await new Hosts({ ...options, statementTimeoutMs: migrationTimeoutMs }, log).connect();
  try {
    return await migrateInTurn(client, { schema: options.schema, runtimeRole, limitMs: patienceMs, log });
  } finally {
    await client.end();
  }
}
