import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { productDir } from '../src/kernel/product.js';
import { PostgresEngine } from '../test/fixtures/postgres-engine.js';
import { LogbookProcess } from '../test/fixtures/process.js';
import { Receiver } from '../test/fixtures/receiver.js';
import {
  fillLogbook,
  fixturesDir,
  packFiles,
  readLogbook,
  readPosition,
  subscriberName,
} from '../test/fixtures/schema-fixture.js';
import { makeTempDir } from '../test/fixtures/service.js';
import { subscriberProperties, webhookTo } from '../test/fixtures/subscribed-logbook.js';

/**
 * Stores what a version of the program writes, for the tests of later versions: `npm run fixture:schema [-- DIR]`, where
 * DIR is the built checkout of that version; default: this one. Schemas that have a fixture are left as they are.
 */
const program = join(resolve(process.argv[2] ?? productDir), 'dist', 'src', 'main.js');

const flagsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);

async function fill(dataDir: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const receiver = await Receiver.start();
  const subscriber = subscriberProperties({ [subscriberName]: webhookTo(receiver.origin) });
  const args = ['serve', ...flagsOf({ ...settings, ...subscriber })];
  const logbook = await LogbookProcess.start(dataDir, { args, program });
  try {
    const madeAt = new Date().toISOString();
    const stored = await fillLogbook(logbook.base);
    // The position of the subscriber is stored only after its answer to the last change.
    await receiver.until(() => receiver.titles.includes('Lone'));
    const answers = await readLogbook(logbook.base, stored);
    const position = await readPosition(logbook.base);
    return `${JSON.stringify({ madeAt, position, ...stored, answers }, undefined, 1)}\n`;
  } finally {
    await logbook.stop();
    await receiver.stop();
  }
}

async function store(name: string, expected: string, files: string, dump?: string): Promise<void> {
  const dir = join(fixturesDir, name);
  await mkdir(fixturesDir, { recursive: true });
  await mkdir(dir);
  await packFiles(files, join(dir, 'data'));
  if (dump !== undefined) await writeFile(join(dir, 'dump.sql.gz'), gzipSync(dump, { level: 9 }));
  await writeFile(join(dir, 'expected.json'), expected);
  console.log(`${dir} was written.`);
}

async function embedded(dir: string): Promise<void> {
  const expected = await fill(join(dir, 'embedded'), {});
  const { loadSqlite } = await import('../src/engines/sqlite/database/connection.js');
  const database = new (await loadSqlite())(join(dir, 'embedded', 'logbook.sqlite'), { readOnly: true });
  const { user_version: schema } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  database.close();
  await store(`sqlite-${schema}`, expected, join(dir, 'embedded'));
}

async function postgres(dir: string): Promise<void> {
  const engine = await PostgresEngine.start();
  try {
    const connection = {
      ...{ storage: 'postgres', postgresHosts: `127.0.0.1:${engine.server.port}`, postgresDatabase: 'postgres' },
      ...{ postgresUser: 'postgres', postgresTls: 'false', attachmentsDir: join(dir, 'shared') },
    };
    const migrating = spawn(
      process.execPath,
      [program, 'migrate', ...flagsOf({ ...connection, dataDir: join(dir, 'node') })],
      { stdio: 'inherit' },
    );
    await once(migrating, 'exit');
    const expected = await fill(join(dir, 'node'), connection);
    const [row] = await engine.query('SELECT max(version) AS version FROM logbook.schema_version');
    const to = [
      '-h',
      '127.0.0.1',
      '-p',
      String(engine.server.port),
      '-U',
      'postgres',
      '--schema=logbook',
      '--no-owner',
    ];
    const dump = execFileSync(engine.server.program('pg_dump'), [...to, 'postgres'], { encoding: 'utf8' });
    // Older versions of psql and PostgreSQL do not know these meta-commands and settings.
    const portable = dump.replace(/^\\(un)?restrict .*\n/gm, '').replace(/^SET transaction_timeout.*\n/gm, '');
    await store(`postgres-${row?.version}`, expected, join(dir, 'shared'), portable);
  } finally {
    await engine.stop();
  }
}

const dir = await makeTempDir();
for (const write of [embedded, postgres]) {
  await write(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    console.log(`${error.path} is there already.`);
  });
}
await rm(dir, { recursive: true });
