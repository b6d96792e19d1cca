import type { DataFinding } from '../../../backup/data-finding.js';
import { compareSchemas, type SchemaObject } from '../../../backup/schema-difference.js';
import { Connection, loadSqlite } from '../database/connection.js';
import { migrate } from '../database/migrations.js';

/** Index that exists while the job entry-files runs, see migrations.ts. */
const fillIndex = {
  name: 'index attachment_entry_fill',
  definition: 'CREATE INDEX attachment_entry_fill ON attachment_entry (entry_id)',
};

/** Compares the definitions in a database that has the newest schema with those that the migrations create. */
export async function checkSchema(connection: Connection): Promise<DataFinding[]> {
  const DatabaseSync = await loadSqlite();
  const reference = new Connection(new DatabaseSync(':memory:'));
  try {
    migrate(reference);
    const found = listObjects(connection);
    const isFilling = found.some(
      ({ name, definition }) => name === fillIndex.name && definition === fillIndex.definition,
    );
    return compareSchemas([...listObjects(reference), ...(isFilling ? [fillIndex] : [])], found);
  } finally {
    reference.close();
  }
}

/** Lists the objects of the schema, except the statistics that `ANALYZE` creates for the query planner. */
function listObjects(connection: Connection): SchemaObject[] {
  const rows = connection.all<{ type: string; name: string; tbl_name: string; sql: string | null }>(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT IN ('sqlite_stat1', 'sqlite_stat4') ORDER BY name",
  );
  return rows.map(({ type, name, tbl_name: table, sql }) => ({
    name: `${type} ${name}`,
    // The index of a constraint has no SQL.
    definition: sql === null ? `of the table ${table}` : normalize(sql),
  }));
}

/** Pattern for quoted text, which is kept, and for comments and white space, which are replaced. */
const quotedOrBlank = /('(?:[^']|'')*'|"(?:[^"]|"")*")|(?:--[^\n]*|\/\*[\s\S]*?\*\/|\s)+/g;

/** Removes comments and normalises white space, which differ between versions of the program. */
const normalize = (sql: string): string => sql.replace(quotedOrBlank, (_, quoted?: string) => quoted ?? ' ').trim();
