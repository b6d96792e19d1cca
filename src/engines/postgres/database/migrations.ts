import type pg from 'pg';
import type { Migration } from './migration.js';
import { firstTables } from './migrations/001-first-tables.js';
import { imports } from './migrations/002-imports.js';
import { ledger } from './migrations/003-ledger.js';
import { rowChecksums } from './migrations/004-row-checksums.js';
import { longResults } from './migrations/005-long-results.js';
import { evidence } from './migrations/006-evidence.js';
import { backupKey } from './migrations/007-backup-key.js';
import { glossaryNames } from './migrations/008-glossary-names.js';
import { inboxes } from './migrations/009-inboxes.js';

const maxNamed = 5;

/** Migrations in order; each leads from one schema version to the next. */
export const migrations: readonly Migration[] = [
  firstTables,
  imports,
  ledger,
  rowChecksums,
  longResults,
  evidence,
  backupKey,
  glossaryNames,
  inboxes,
];

/** Lists the tables that the schema has at a version, by the CREATE and RENAME statements of the steps. */
function listTables(version: number): string[] {
  const tables = new Set<string>();
  for (const { sql } of migrations.slice(0, version)) {
    for (const [, created] of sql.matchAll(/^ *CREATE TABLE (\w+)/gm)) tables.add(String(created));
    for (const [, former, name] of sql.matchAll(/^ *ALTER TABLE (\w+) RENAME TO (\w+)/gm)) {
      tables.delete(String(former));
      tables.add(String(name));
    }
  }
  return [...tables];
}

/** Newest schema that this version of the program can use. */
export const newestSchema = migrations.length;

export interface SchemaVersion {
  /** Version of the schema; 0: the database contains no logbook yet. */
  readonly version: number;
  /** Lowest schema version whose program can use this schema. */
  readonly usableFrom: number;
}

export async function readSchema(client: pg.Client): Promise<SchemaVersion> {
  const found = await client.query<{ exists: boolean }>("SELECT to_regclass('schema_version') IS NOT NULL AS exists");
  if (!found.rows[0]?.exists) return { version: 0, usableFrom: 0 };
  const newest = await client.query<{ version: number; usable_from: number }>(
    'SELECT version, usable_from FROM schema_version ORDER BY version DESC LIMIT 1',
  );
  const [row] = newest.rows;
  return { version: row?.version ?? 0, usableFrom: row?.usable_from ?? 0 };
}

/**
 * Describes why this version of the program cannot use a database with this schema; undefined if it can.
 * @param schema name of the schema, for the message
 */
export function findSchemaProblem({ version, usableFrom }: SchemaVersion, schema: string): string | undefined {
  if (version === 0)
    return `The schema ${schema} holds no logbook yet. Run “logbook migrate” with a role that may create tables.`;
  if (version < newestSchema) {
    return `The database has the schema version ${version}; this version of the program needs ${newestSchema}. Run “logbook migrate” with a role that may change tables.`;
  }
  if (usableFrom <= newestSchema) return undefined;
  return `The database has the schema version ${version}, which this version of the program cannot use: it knows versions up to ${newestSchema}. Install the newer version.`;
}

export interface MigrateOptions {
  /** Role that receives the privileges the service needs, but none to alter tables; undefined: nothing is granted. */
  readonly runtimeRole: string | undefined;
  /** Maximum time to wait for tables that are in use. */
  readonly lockTimeoutMs: number;
  /** Steps to apply; by default all. */
  readonly steps?: readonly Migration[];
}

/**
 * Migrates the database to the newest schema in one transaction; applies no step if it already has that schema or a
 * newer one. If several programs migrate concurrently, one does the work and the others wait.
 */
export async function migrate(
  client: pg.Client,
  schema: string,
  { runtimeRole, lockTimeoutMs, steps = migrations }: MigrateOptions,
): Promise<SchemaVersion> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`logbook migration of ${schema}`]);
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    // A role that may create tables in a schema may lack the privilege to create schemas.
    if (!(await hasSchema(client, schema))) await client.query(`CREATE SCHEMA ${schema}`);
    const { version } = await readSchema(client);
    if (version === 0) await requireNoTables(client, schema, []);
    else if (runtimeRole !== undefined && version <= newestSchema) await requireOwnSchema(client, schema, version);
    await client.query(`CREATE TABLE IF NOT EXISTS schema_version (
      version integer PRIMARY KEY, usable_from integer NOT NULL, applied timestamptz NOT NULL
    )`);
    for (const [index, { usableFrom, sql, addRows }] of steps.entries()) {
      if (index < version) continue;
      await client.query(sql);
      await addRows?.(client);
      await client.query('INSERT INTO schema_version VALUES ($1, $2, now())', [index + 1, usableFrom]);
    }
    if (runtimeRole !== undefined) await grantUse(client, schema, runtimeRole);
    const reached = await readSchema(client);
    await client.query('COMMIT');
    return reached;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Requires that no other program has tables in the schema: privileges are granted on all of its tables, and a restore
 * empties them.
 * @throws Error that names the foreign tables
 */
export async function requireOwnSchema(client: pg.Client, schema: string, version = newestSchema): Promise<void> {
  await requireNoTables(client, schema, ['schema_version', ...listTables(version)]);
}

async function requireNoTables(client: pg.Client, schema: string, except: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> ALL ($2) ORDER BY tablename',
    [schema, except],
  );
  if (rows.length === 0) return;
  throw new Error(
    `The schema ${schema} has tables that do not belong to a logbook: ${nameTables(rows)}. Nothing was changed. Choose a schema for the logbook alone (postgresSchema).`,
  );
}

/** Lists the first table names in a phrase, with the number of the remaining ones. */
export function nameTables(tables: readonly { readonly name: string }[]): string {
  const names = tables.slice(0, maxNamed).map(({ name }) => name);
  return `${names.join(', ')}${tables.length > maxNamed ? ` and ${tables.length - maxNamed} more` : ''}`;
}

async function hasSchema(client: pg.Client, schema: string): Promise<boolean> {
  return (await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).rowCount === 1;
}

async function grantUse(client: pg.Client, schema: string, role: string): Promise<void> {
  const grantee = client.escapeIdentifier(role);
  await client.query(`
    GRANT USAGE ON SCHEMA ${schema} TO ${grantee};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${grantee};
    REVOKE INSERT, UPDATE, DELETE ON schema_version FROM ${grantee};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${grantee};
  `);
}
