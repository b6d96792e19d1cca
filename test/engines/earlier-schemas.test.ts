import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectUpgraded } from '../fixtures/expect-upgraded.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { runCommand } from '../fixtures/process.js';
import { fixturesDir, listFixtures, readFixture, unpackFiles } from '../fixtures/schema-fixture.js';
import { makeTempDir } from '../fixtures/service.js';

const fixtures = await listFixtures('postgres');

describe.skipIf(!hasPostgres)('the data of earlier versions in PostgreSQL (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  let dir: string;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
    dir = await makeTempDir();
  });
  afterAll(async () => {
    await engine.stop();
    await rm(dir, { recursive: true });
  });

  test.each(fixtures)(
    'nothing that %s has stored is lost or changed, and everything continues from where it was',
    async (name) => {
      await engine.query('DROP SCHEMA IF EXISTS logbook CASCADE');
      const to = ['-h', '127.0.0.1', '-p', String(engine.server.port), '-U', 'postgres', '-d', 'postgres'];
      const input = gunzipSync(readFileSync(join(fixturesDir, name, 'dump.sql.gz')));
      execFileSync(engine.server.program('psql'), [...to, '-qX', '-v', 'ON_ERROR_STOP=1'], {
        input,
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      const [dataDir, attachmentsDir] = [join(dir, name), join(dir, `${name}-attachments`)];
      await unpackFiles(join(fixturesDir, name, 'data'), attachmentsDir);
      const settings = {
        ...{ storage: 'postgres', postgresHosts: `127.0.0.1:${engine.server.port}`, postgresDatabase: 'postgres' },
        ...{ postgresUser: 'postgres', postgresTls: 'false', attachmentsDir },
      };
      const flags = Object.entries(settings).map(([key, value]) => `-D${key}=${value}`);
      expect(await runCommand(['migrate', '--data-dir', dataDir, ...flags])).toMatchObject({ code: 0 });
      await expectUpgraded(await readFixture(name), dataDir, settings);
    },
  );
});
