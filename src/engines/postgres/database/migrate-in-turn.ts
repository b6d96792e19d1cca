import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import { migrate, type SchemaVersion } from './migrations.js';
import { isConflict, isLockTimeout } from './postgres-errors.js';

/** Time limit for a lock: while a migration waits for a table, all reads and writes of the table wait behind it. */
const lockTimeoutMs = 2_000;
/** Pause between two attempts, during which waiting transactions continue. */
const pauseMs = 1_000;
const patienceMs = 600_000;

interface MigrationInTurn {
  readonly schema: string;
  /** Role that receives the privileges the service needs, but none to alter tables; undefined: nothing is granted. */
  readonly runtimeRole: string | undefined;
  /** Maximum time to wait for tables that are in use. */
  readonly limitMs?: number | undefined;
  readonly log: Log;
}

/**
 * Migrates the database while programs use it. Each attempt is one transaction, which is abandoned before it delays
 * them for long.
 * @throws Error when the tables were in use all the time; nothing was changed
 */
export async function migrateInTurn(
  client: pg.Client,
  { schema, runtimeRole, limitMs = patienceMs, log }: MigrationInTurn,
): Promise<SchemaVersion> {
  for (const endMs = performance.now() + limitMs; ; await sleep(pauseMs)) {
    try {
      return await migrate(client, schema, { runtimeRole, lockTimeoutMs });
    } catch (error) {
      if (!isConflict(error) && !isLockTimeout(error)) throw error;
      if (performance.now() > endMs) throw inUse(schema, limitMs, error);
      log.warn({ reason: (error as Error).message }, 'tables are in use; the migration will be retried');
    }
  }
}

function inUse(schema: string, waitedMs: number, cause: unknown): Error {
  return new Error(
    `Tables of the schema ${schema} were in use by other transactions, such as a dump, for ${waitedMs / 60_000} min. Nothing was changed. Try again when these have ended; pg_stat_activity lists them.`,
    { cause },
  );
}
