import type pg from 'pg';
import { decodeMark, type RestoreMark, restoreMarkName } from '../../../backup/restore-mark.js';
import type { Log } from '../../../kernel/log.js';
import { closeClient, Hosts } from '../database/hosts.js';
import { readSchema } from '../database/migrations.js';
import type { PostgresOptions } from '../postgres-options.js';

/** Server name of the incarnation of a restored database, until the first node connects. */
export const restoredServer = 'restored';

/** Returns the mark of an unfinished restore into this schema; undefined if there is none. */
export async function findRestoreMark(client: pg.Client): Promise<RestoreMark | undefined> {
  const { rows } = await client.query<{ value: string }>('SELECT value FROM store WHERE key = $1', [restoreMarkName]);
  return rows[0] && decodeMark(rows[0].value);
}

export const describeSchema = ({ schema, database }: PostgresOptions): string =>
  `the schema ${schema} of the database ${database}`;

/** Allows services to use the restored logbook; no effect if they already may. */
export async function removeRestoreMark(options: PostgresOptions, log: Log): Promise<void> {
  await withClient(options, log, (client) => client.query('DELETE FROM store WHERE key = $1', [restoreMarkName]));
}

/** Whether the schema contains a complete restored copy of the logbook that no service has used. */
export async function hasRestoredCopy(options: PostgresOptions, storeId: string, log: Log): Promise<boolean> {
  return withClient(options, log, async (client) => {
    if ((await readSchema(client)).version === 0) return false;
    const mark = await findRestoreMark(client);
    if (mark) return mark.copyOf === storeId;
    const { rows } = await client.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM store WHERE key = 'id' AND value = $1)
         AND EXISTS (SELECT 1 FROM incarnation WHERE server = $2)
         AND NOT EXISTS (SELECT 1 FROM incarnation WHERE server <> $2) AS found`,
      [storeId, restoredServer],
    );
    return rows[0]?.found === true;
  });
}

async function withClient<T>(options: PostgresOptions, log: Log, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await new Hosts(options, log).connect();
  try {
    return await work(client);
  } finally {
    closeClient(client);
  }
}
