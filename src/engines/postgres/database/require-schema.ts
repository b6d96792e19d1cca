import type pg from 'pg';
import { findSchemaProblem, nameTables, newestSchema, readSchema, type SchemaVersion } from './migrations.js';

const missingRights = `
  SELECT class.relname AS name FROM pg_class AS class JOIN pg_namespace AS schema ON schema.oid = class.relnamespace
  WHERE schema.nspname = $1 AND (
    class.relkind = 'r' AND NOT has_table_privilege(class.oid, 'SELECT')
    OR class.relkind = 'r' AND class.relname <> 'schema_version' AND NOT (
      has_table_privilege(class.oid, 'INSERT') AND has_table_privilege(class.oid, 'UPDATE')
      AND has_table_privilege(class.oid, 'DELETE'))
    OR class.relkind = 'S' AND NOT (
      has_sequence_privilege(class.oid, 'USAGE') AND has_sequence_privilege(class.oid, 'SELECT')))
  ORDER BY class.relname`;

/**
 * Returns the version of the schema, if this version of the program can use it with the role of the connection.
 * @throws Error that says why it cannot
 */
export async function requireSchema(client: pg.Client, schema: string): Promise<SchemaVersion> {
  const right = await client.query<{ role: string; mayUse: boolean }>(
    `SELECT current_user AS role, has_schema_privilege(oid, 'USAGE') AS "mayUse" FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  const [{ role, mayUse } = { role: '', mayUse: true }] = right.rows;
  const advice = `Run “logbook migrate --grant-to ${role}” with the role that owns its tables.`;
  // The tables are not visible without this right.
  if (!mayUse) throw new Error(`The role ${role} may not use the schema ${schema}. ${advice}`);
  const found = await readSchema(client);
  const problem = findSchemaProblem(found, schema);
  if (problem !== undefined) throw new Error(problem);
  // A newer schema may have tables that this version does not need.
  if (found.version > newestSchema) return found;
  const { rows } = await client.query<{ name: string }>(missingRights, [schema]);
  if (rows.length === 0) return found;
  throw new Error(`The role ${role} lacks rights in the schema ${schema}, on ${nameTables(rows)}. ${advice}`);
}
