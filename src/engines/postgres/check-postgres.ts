import type { Finding } from '../../kernel/finding.js';
import type { Log } from '../../kernel/log.js';
import { Hosts } from './database/hosts.js';
import { requireSchema } from './database/require-schema.js';
import type { PostgresOptions } from './postgres-options.js';

/** Checks that a server accepts writes and has the tables that this version of the program needs. */
export async function checkPostgres(options: PostgresOptions, log: Log): Promise<Finding> {
  try {
    const hosts = new Hosts(options, log);
    const client = await hosts.connect();
    try {
      const schema = await requireSchema(client, options.schema);
      const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
      const { host, port } = hosts.current;
      const text = `${host}:${port} takes writes (PostgreSQL ${rows[0]?.server_version}); schema version ${schema.version}`;
      return { isProblem: false, text };
    } finally {
      await client.end();
    }
  } catch (error) {
    return { isProblem: true, text: (error as Error).message };
  }
}

/** Returns the clock of the primary, in milliseconds since the epoch. @throws Error when there is no primary */
export async function readServerClock(options: PostgresOptions, log: Log): Promise<number> {
  const client = await new Hosts(options, log).connect();
  try {
    const sql = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms';
    const { rows } = await client.query<{ ms: number }>(sql);
    return Number(rows[0]?.ms);
  } finally {
    await client.end();
  }
}
