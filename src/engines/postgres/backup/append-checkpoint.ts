import type { Log } from '../../../kernel/log.js';
import type { SqlValue } from '../../sql/dialect.js';
import { appendCheckpoint } from '../../sql/tables/ledger.js';
import { closeClient, Hosts } from '../database/hosts.js';
import { runPrepared } from '../database/statements.js';
import type { PostgresOptions } from '../postgres-options.js';

/**
 * Stores a checkpoint in the database of a logbook. Its nodes may be running.
 * @throws Error when another checkpoint has the number
 */
export async function appendPostgresCheckpoint(
  options: PostgresOptions,
  { number, document }: { readonly number: number; readonly document: string },
  log: Log,
): Promise<void> {
  const client = await new Hosts(options, log).connect();
  try {
    const run = async (sql: string, ...values: SqlValue[]) => (await runPrepared(client, sql, values)).rowCount ?? 0;
    await appendCheckpoint({ run }, number, document);
  } finally {
    closeClient(client);
  }
}
