import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeFinding } from '../../src/backup/data-finding.js';
import { checkSchema, listObjects } from '../../src/engines/postgres/backup/check-schema.js';
import { openPostgresRestore } from '../../src/engines/postgres/backup/postgres-restore.js';
import { migrate, migrations, readSchema } from '../../src/engines/postgres/database/migrations.js';
import { schemaObjects } from '../../src/engines/postgres/database/schema-objects.js';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { formerRows, renamedRows } from '../fixtures/renamed-rows.js';

const changes: readonly (readonly [sql: string, finding: RegExp])[] = [
  [
    `CREATE FUNCTION hide() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER quiet BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION hide()`,
    /the function hide\(\): this program does not create it[\s\S]*the trigger quiet: this program does not create it: CREATE TRIGGER quiet BEFORE INSERT ON audit/,
  ],
  ['ALTER TABLE archived_entry DISABLE TRIGGER archived_entry_with_salts', /with_salts: it differs from .* ENABLED D/],
  ['ALTER TABLE archived_entry DISABLE TRIGGER ALL', /the trigger RI_\w+: this program does not create it/],
  [
    `CREATE OR REPLACE FUNCTION keep_salts() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
    /the function keep_salts\(\): it differs from the one that this program creates/,
  ],
  ['CREATE RULE quiet AS ON DELETE TO api_token DO INSTEAD NOTHING', /the rule quiet: this program does not create it/],
  [
    'ALTER TABLE node RENAME TO shown; CREATE VIEW node AS SELECT * FROM shown WHERE false',
    /the table node: it is missing[\s\S]*the view node/,
  ],
  [
    'ALTER TABLE entry ENABLE ROW LEVEL SECURITY; CREATE POLICY hiding ON entry USING (id < 3)',
    /the policy hiding[\s\S]*the table entry: it differs from the one that this program creates: with row security/,
  ],
  [
    "ALTER TABLE api_token ALTER scheme SET DEFAULT 'inMemory'",
    /the table api_token: it differs from .*DEFAULT 'inMemory'/,
  ],
  ['ALTER TABLE audit ALTER hash TYPE varchar(10)', /the table audit: it differs from/],
  ['ALTER TABLE ledger_record SET UNLOGGED', /the table ledger_record: it differs from .*unlogged/],
  ['ALTER TABLE saved_search DROP CONSTRAINT saved_search_id_key', /the index saved_search_id_key: it is missing/],
  [
    'ALTER TABLE draft_part DROP CONSTRAINT draft_part_draft_fkey',
    /the constraint draft_part_draft_fkey: it is missing/,
  ],
  ['ALTER TABLE entry ADD CHECK (id <> 7)', /the constraint entry_id_check: this program does not create it/],
  [
    'CREATE TABLE elsewhere.more () INHERITS (entry)',
    /the child of the table entry: this program does not create it: elsewhere.more/,
  ],
  ['ALTER TABLE ONLY change OWNER TO postgres', /^$/],
];

describe.skipIf(!hasPostgres)('the definitions in a PostgreSQL schema (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let client: pg.Client;
  let schema: string;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
    const options = engine.newOptions();
    ({ schema } = options);
    await migratePostgres(options, silentLog, undefined);
    client = await engine.server.connect();
    await client.query(`CREATE SCHEMA elsewhere; SET search_path TO ${schema}`);
  });
  afterAll(async () => {
    await client.end();
    await engine.stop();
  });

  test('schema-objects.ts has what the migrations make', async () => {
    const made = await listObjects(client, schema);
    expect(made.map(({ name, definition }) => `${name} = ${definition}`.trim())).toEqual(
      schemaObjects.map(({ name, definition }) => `${name} = ${definition}`.trim()),
    );
  });

  test('the rows of tables that a migration renames are kept', async () => {
    const name = 'renamed';
    const own = await engine.server.connect();
    const options = { runtimeRole: undefined, lockTimeoutMs: 0 };
    await own.query(`SET search_path = ${name}`);
    await migrate(own, name, { ...options, steps: migrations.slice(0, 7) });
    await own.query(formerRows);
    // Nodes of that version may be running: a restore that refuses to replace the logbook changes nothing.
    await own.query("INSERT INTO catalog_item (kind, name, document, crc) VALUES ('tags', 'Vacuum', '{}', 1)");
    const mark = { backup: 'backup', copyOf: undefined, isRestored: false };
    const restored = openPostgresRestore(
      { ...engine.newOptions(), schema: name },
      { mark, mayReplace: () => false },
      silentLog,
    );
    await expect(restored).rejects.toThrow('A restore overwrites nothing, and nothing was changed.');
    expect(await readSchema(own)).toMatchObject({ version: 7 });
    await migrate(own, name, { ...options, runtimeRole: 'postgres' });
    for (const [sql, rows] of renamedRows) {
      const found = await own.query(`SELECT row_to_json(one) AS row FROM (${sql}) AS one`);
      expect(
        found.rows.map(({ row }) => row),
        sql,
      ).toEqual(rows);
    }
    expect((await listObjects(own, name)).map((one) => one.name)).toEqual(schemaObjects.map((one) => one.name));
    await own.end();
  });

  test.each(changes)('%s', async (sql, finding) => {
    await client.query('BEGIN');
    await client.query(sql);
    const found = await checkSchema(client, schema);
    await client.query('ROLLBACK');
    expect(found.map(describeFinding).join('\n')).toMatch(finding);
  });
});
