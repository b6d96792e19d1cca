import type pg from 'pg';
import { type DataFinding, notice } from '../../../backup/data-finding.js';
import { compareSchemas, type SchemaObject } from '../../../backup/schema-difference.js';
import { newestSchema, readSchema } from '../database/migrations.js';
import { schemaObjects } from '../database/schema-objects.js';

/** Query for the definition of each object in the schema $1. Unique and primary keys appear only as their indexes. */
const objects = `
  WITH own AS (SELECT oid, quote_ident(nspname) || '.' AS prefix FROM pg_namespace WHERE nspname = $1),
  relation AS (SELECT class.* FROM pg_class AS class JOIN own ON own.oid = relnamespace),
  object (name, definition) AS (
    SELECT CASE relkind WHEN 'r' THEN 'table ' WHEN 'S' THEN 'sequence ' WHEN 'v' THEN 'view '
        WHEN 'm' THEN 'materialized view ' WHEN 'f' THEN 'foreign table ' ELSE 'relation ' END || relname,
      concat_ws(', ',
        CASE relpersistence WHEN 'u' THEN 'unlogged' END,
        CASE WHEN relrowsecurity THEN 'with row security' END,
        (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod),
            CASE WHEN attcollation <> typcollation THEN 'COLLATE ' || collname::text END,
            CASE WHEN attnotnull THEN 'NOT NULL' END,
            CASE WHEN attidentity <> '' THEN 'identity ' || attidentity::text END,
            CASE WHEN attgenerated <> '' THEN 'generated ' || attgenerated::text END,
            'DEFAULT ' || pg_get_expr(adbin, adrelid)), ', ' ORDER BY attname)
          FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
            LEFT JOIN pg_collation ON pg_collation.oid = attcollation
            LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          WHERE attrelid = relation.oid AND relkind <> 'S' AND attnum > 0 AND NOT attisdropped))
      FROM relation WHERE relkind NOT IN ('i', 'I', 't')
    UNION ALL
    SELECT 'index ' || relname, pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' INVALID' END
      FROM pg_index JOIN relation ON relation.oid = indexrelid
    UNION ALL
    SELECT 'constraint ' || conname, concat_ws(' ', 'of', relname, pg_get_constraintdef(pg_constraint.oid))
      FROM pg_constraint JOIN own ON own.oid = connamespace LEFT JOIN pg_class ON pg_class.oid = conrelid
      WHERE contype NOT IN ('p', 'u', 'n')
    UNION ALL
    SELECT 'trigger ' || tgname, pg_get_triggerdef(pg_trigger.oid) || CASE tgenabled WHEN 'O' THEN '' ELSE ' ENABLED ' || tgenabled::text END
      FROM pg_trigger JOIN relation ON relation.oid = tgrelid WHERE NOT tgisinternal OR tgenabled <> 'O'
    UNION ALL
    SELECT 'rule ' || rulename, pg_get_ruledef(pg_rewrite.oid)
      FROM pg_rewrite JOIN relation ON relation.oid = ev_class WHERE relkind NOT IN ('v', 'm')
    UNION ALL
    SELECT 'policy ' || polname, concat_ws(' ', 'ON', relname, polcmd::text, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
      FROM pg_policy JOIN relation ON relation.oid = polrelid
    UNION ALL
    SELECT 'function ' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')',
        CASE WHEN prokind = 'a' THEN 'aggregate' ELSE pg_get_functiondef(pg_proc.oid) END
      FROM pg_proc JOIN own ON own.oid = pronamespace
    UNION ALL
    SELECT 'type ' || typname, typtype::text FROM pg_type JOIN own ON own.oid = typnamespace WHERE typtype IN ('d', 'e', 'r')
    UNION ALL
    SELECT 'child of the table ' || relname, inhrelid::regclass::text
      FROM pg_inherits JOIN relation ON relation.oid = inhparent WHERE relkind <> 'I'
  )
  SELECT name, trim(regexp_replace(replace(definition, prefix, ''), '\\s+', ' ', 'g')) AS definition
  FROM object, own ORDER BY name COLLATE "C", definition COLLATE "C"`;

/** Compares the definitions in a schema with those that the migrations create, as far as the catalog shows them. */
export async function checkSchema(client: pg.Client, schema: string): Promise<DataFinding[]> {
  const { version } = await readSchema(client);
  if (version > newestSchema) {
    const what = `its version is ${version}, and this program knows the definitions up to ${newestSchema}: they were not compared`;
    return [notice(`the schema ${schema}`, what, 'Verify it with the newer version.')];
  }
  return compareSchemas(schemaObjects, await listObjects(client, schema));
}

/** Lists the objects of a schema, by name. */
export async function listObjects(client: pg.Client, schema: string): Promise<SchemaObject[]> {
  return (await client.query<{ name: string; definition: string }>(objects, [schema])).rows;
}
