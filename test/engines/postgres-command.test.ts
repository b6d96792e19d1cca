import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { editEntry, fillCatalog, fillEntries } from '../fixtures/filled-source.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

describe.skipIf(!hasPostgres)('the commands with storage=postgres (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let dir: string;
  let settings: Record<string, string>;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
    dir = await makeTempDir();
    await engine.query("CREATE ROLE owner LOGIN PASSWORD 'the password'");
    await engine.query('GRANT CREATE ON DATABASE postgres TO owner');
  });
  afterAll(async () => {
    await engine.stop();
    await rm(dir, { recursive: true });
  });
  beforeEach(() => {
    const { schema } = engine.newOptions();
    settings = {
      ...{ storage: 'postgres', postgresHosts: `127.0.0.1:${engine.server.port}`, postgresDatabase: 'postgres' },
      ...{ postgresSchema: schema, postgresUser: 'owner', postgresTls: 'false', dataDir: join(dir, 'data') },
      attachmentsDir: join(dir, 'attachments'),
    };
  });

  const run = (command: string, args: string[] = []) =>
    new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
      const flags = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
      const program = join(productDir, 'dist', 'src', 'main.js');
      const env = { PATH: process.env.PATH };
      execFile(process.execPath, [program, command, ...flags, ...args], { env }, (error, stdout, stderr) => {
        resolve({ code: error ? 1 : 0, output: stdout + stderr });
      });
    });

  test('migrate creates the tables, and gives a role what it needs to run; check finds them', async () => {
    const before = await run('check');
    expect(before).toMatchObject({ code: 1, output: expect.stringContaining('holds no logbook yet') });
    await engine.query('CREATE ROLE runner LOGIN');
    const migrated = await run('migrate', ['--grant-to', 'runner']);
    expect(migrated.output).toContain(
      `The tables in the schema ${settings.postgresSchema} of the database postgres have`,
    );
    expect(migrated).toMatchObject({ code: 0, output: expect.stringContaining('The role runner may run the service') });
    settings.postgresUser = 'runner';
    const after = await run('check');
    expect(after).toMatchObject({ code: 0, output: expect.stringContaining('takes writes (PostgreSQL ') });
  });

  test('rights that the role of the service lacks are named by the check and by the start, and what to do', async () => {
    await engine.query('CREATE ROLE newcomer LOGIN');
    await run('migrate');
    settings.postgresUser = 'newcomer';
    const advice = 'Run “logbook migrate --grant-to newcomer”';
    const excluded = await run('check');
    expect(excluded.output).toContain(`The role newcomer may not use the schema ${settings.postgresSchema}. ${advice}`);
    settings.postgresUser = 'owner';
    expect(await run('migrate', ['--grant-to', 'newcomer'])).toMatchObject({ code: 0 });
    settings.postgresUser = 'newcomer';
    expect(await run('check')).toMatchObject({ code: 0 });
    await engine.query(`REVOKE INSERT ON ${settings.postgresSchema}.ledger_record FROM newcomer`);
    for (const command of ['check', 'serve']) {
      const refused = await run(command);
      expect(refused).toMatchObject({
        code: 1,
        output: expect.stringContaining('on ledger_record. Run “logbook migrate'),
      });
    }
  });

  test('migrate works in a schema of its own, with no right to create another one', async () => {
    await engine.query("CREATE ROLE tenant LOGIN PASSWORD 'secret'");
    await engine.query(`CREATE SCHEMA ${settings.postgresSchema} AUTHORIZATION tenant`);
    settings.postgresUser = 'tenant';
    expect(await run('migrate')).toMatchObject({ code: 0 });
    expect(await run('check')).toMatchObject({ code: 0 });
  });

  test('migrate leaves a schema alone in which another program has tables', async () => {
    const { postgresSchema: schema } = settings;
    await engine.query(`CREATE SCHEMA ${schema} AUTHORIZATION owner`);
    await engine.query(`CREATE TABLE ${schema}.measurement (value text)`);
    const refused = await run('migrate');
    expect(refused.output).toContain(
      `The schema ${schema} has tables that do not belong to a logbook: measurement. Nothing was changed.`,
    );
    expect(refused.code).toBe(1);
    expect(await engine.query(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`)).toEqual([
      { tablename: 'measurement' },
    ]);
  });

  test('backups and their verification, and that of the logbook, work with the rights of the service', async () => {
    await engine.query('CREATE ROLE keeper LOGIN');
    await run('migrate', ['--grant-to', 'keeper']);
    Object.assign(settings, {
      postgresUser: 'keeper',
      dataDir: join(dir, 'kept'),
      attachmentsDir: join(dir, 'kept-files'),
    });
    const logbook = await TestService.start(settings, settings.dataDir);
    await logbook.create({ title: 'kept' });
    await logbook.stop({ keepData: true });
    const place = join(dir, 'backups');
    expect(await run('backup', [place])).toMatchObject({ code: 0 });
    expect(await run('verify', [place])).toMatchObject({ code: 0 });
    expect(await run('verify')).toMatchObject({ code: 0, output: expect.stringContaining('No problems were found') });
  });

  test('import and export work with the rights of the service, and the copy is equal', async () => {
    await engine.query('CREATE ROLE importer LOGIN');
    await run('migrate', ['--grant-to', 'importer']);
    settings.postgresUser = 'importer';
    const source = await TestService.start();
    try {
      await fillCatalog(source);
      await fillEntries(source, 0, 40);
      const first = await run('import', [source.base, '--requests-per-second', '10000']);
      expect(first).toMatchObject({
        code: 0,
        output: expect.stringMatching(/40 entries: 40 new[\s\S]*Both are equal/),
      });
      await editEntry(source, 3, 2);
      const second = await run('import', [source.base, '--requests-per-second', '10000']);
      expect(second).toMatchObject({ code: 0, output: expect.stringMatching(/0 new, 1 changed, 39 as before/) });
    } finally {
      await source.stop();
    }
    const file = join(dir, 'all.zip');
    expect(await run('export', [file])).toMatchObject({ code: 0, output: expect.stringContaining('has 40 entries') });
    settings = { dataDir: join(dir, 'copy') };
    const copied = await run('import', [file]);
    expect(copied).toMatchObject({ code: 0, output: expect.stringMatching(/40 new[\s\S]*Both are equal/) });
  });

  test('the password comes from a file, and is printed nowhere', async () => {
    const file = join(dir, 'password');
    await writeFile(file, 'the password\n');
    settings.postgresPasswordFile = file;
    expect((await run('migrate')).code).toBe(0);
    const { output } = await run('config');
    expect(output).toContain('storage = postgres');
    expect(output).not.toContain('the password');
  });

  test('migrate without the rights, and for the embedded storage, changes nothing and says so', async () => {
    await engine.query('CREATE ROLE guest LOGIN');
    settings.postgresUser = 'guest';
    expect(await run('migrate')).toMatchObject({ code: 1, output: expect.stringContaining('permission denied') });
    settings = { dataDir: join(dir, 'data') };
    expect(await run('migrate')).toMatchObject({ code: 1, output: expect.stringContaining('storage is “embedded”') });
  });
});
