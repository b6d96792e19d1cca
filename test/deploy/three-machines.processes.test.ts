import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type SettingName, settings } from '../../src/config/settings.js';
import { productDir } from '../../src/kernel/product.js';
import { codeBlocks, manualSection } from '../fixtures/manual.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { PostgresServer, serverUser } from '../fixtures/postgres-server.js';

const execute = promisify(execFile);
const section = await manualSection('cluster-setup.md', 'Three machines with systemd');
const machines = (kind: string) => codeBlocks(section, kind);
const preparing = await manualSection('cluster-setup.md', 'Preparing the database');

/** `name=value` of each setting of PostgreSQL, but for those of the machine: its addresses, and certificates. */
const serverSettings = (block = '') =>
  Array.from(block.matchAll(/^(\w+) = (.*)$/gm), ([, name, value]) => [String(name), String(value)] as const)
    .filter(([name]) => !/^(ssl|listen_)/.test(name))
    .map(([name, value]) => `${name}=${value.replaceAll("'", '')}`);

async function query(server: PostgresServer, sql: string): Promise<Record<string, unknown>[]> {
  const client = await server.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Adapts the documented connection of a standby to a server of this machine. */
const local = (connection: string, server: PostgresServer) =>
  connection
    .replace(/host=\S+/, `host=127.0.0.1 port=${server.port}`)
    .replace(/ sslmode=verify-full sslrootcert=[^\s']+/, '')
    .replace('password=…', 'password=secret');

async function copy(primary: PostgresServer, name: string, dir: string, documented: string[]): Promise<PostgresServer> {
  const line = /^sudo -u postgres pg_basebackup (.*)$/m.exec(machines('sh')[0] ?? '')?.[1] ?? '';
  const command = local(line.replace('/var/lib/postgresql/15/main', dir).replace('node2', name), primary);
  execFileSync('sh', ['-c', `${primary.program('pg_basebackup')} ${command}`], {
    ...serverUser(),
    cwd: '/',
    stdio: 'pipe',
  });
  return startServer(dir, documented);
}

async function startServer(dir: string, documented: string[]): Promise<PostgresServer> {
  const server = await PostgresServer.start(dir, ['fsync=off', 'shared_buffers=64MB', ...documented]);
  onTestFinished(() => server.stop());
  return server;
}

/** Runs the program as the unit of the migration does. */
async function migrate(dir: string, servers: readonly PostgresServer[]): Promise<string> {
  const unit = await readFile(join(productDir, 'deploy', 'systemd', 'logbook-migrate.service'), 'utf8');
  const [, line = ''] = /^ExecStart=\/usr\/bin\/logbook (.*)$/m.exec(unit) ?? [];
  for (const secret of ['owner-password', 'postgres-password', 's3-secret'])
    await writeFile(join(dir, secret), 'secret');
  const properties = String(machines('properties')[0])
    .replace(/^postgresHosts = .*$/m, `postgresHosts = ${servers.map(({ port }) => `127.0.0.1:${port}`).join(', ')}`)
    .replace(/^postgresCaFile = .*$/m, 'postgresTls = false')
    .replace('/var/lib/logbook', join(dir, 'node'))
    .replaceAll('/etc/logbook', dir);
  await writeFile(join(dir, 'logbook.properties'), properties);
  const args = line.replaceAll('/etc/logbook', dir).replaceAll(/\$\{CREDENTIALS_DIRECTORY\}/g, dir);
  const program = join(productDir, 'dist/src/main.js');
  // The variables of the tests are left out: they would be settings.
  const { stdout } = await execute(process.execPath, [program, ...args.split(' ')], {
    env: { PATH: process.env.PATH },
  });
  return stdout;
}

test('the configuration of three machines names only settings that exist', () => {
  const names = machines('properties').flatMap((block) => Array.from(block.matchAll(/^(\w+) =/gm), ([, name]) => name));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !Object.hasOwn(settings, name as SettingName))).toEqual([]);
});

test.skipIf(!hasPostgres)(
  'three machines as documented: writes continue without a standby, and none is lost with the primary (needs PostgreSQL)',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'logbook-machines-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    await chmod(dir, 0o777);
    const [begin, later] = machines('ini').map(serverSettings) as [string[], string[]];
    const node1 = await startServer(join(dir, 'node1'), begin);
    const roles = `${codeBlocks(preparing, 'sql')[0]}${machines('sql')[0]}`.replaceAll('…', 'secret');
    for (const statement of roles.split(';\n').filter(Boolean)) await query(node1, statement);
    const node2 = await copy(node1, 'node2', join(dir, 'node2'), begin);
    const node3 = await copy(node1, 'node3', join(dir, 'node3'), begin);
    const names = String(later[0]).split('=')[1];
    for (const server of [node1, node2, node3]) {
      await query(server, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
      await query(server, 'SELECT pg_reload_conf()');
    }
    const state = String(machines('sql')[1]);
    const following = ['node2', 'node3'].map((name) => ({ application_name: name, sync_state: 'quorum' }));
    await expect.poll(() => query(node1, state.replace(';', ' ORDER BY 1'))).toEqual(following);
    expect(await migrate(dir, [node1, node2, node3])).toContain('The role logbook may run the service');

    await query(node1, 'CREATE TABLE acknowledged (id int)');
    await node3.kill();
    await query(node1, 'INSERT INTO acknowledged VALUES (1)');
    await node3.restart();
    await node2.kill();
    await query(node1, 'INSERT INTO acknowledged VALUES (2)');
    await node2.restart();
    await node1.kill();

    // Only node3 has surely received the last write; node2 may have that and what the primary has sent since.
    const [compare, promote, connect] = machines('sql').slice(2) as [string, string, string];
    const received = await Promise.all([node2, node3].map((server) => query(server, compare)));
    const [second, third] = received.map((rows) => `'${rows[0]?.received}'::pg_lsn`);
    const [{ ahead } = {}] = await query(node3, `SELECT ${third} >= ${second} AS ahead`);
    const [primary, standby, name] = ahead ? ([node3, node2, 'node2'] as const) : ([node2, node3, 'node3'] as const);
    await query(primary, promote);
    const follow = local(connect.replace('application_name=node3', `application_name=${name}`), primary);
    for (const statement of follow.split(';\n').filter(Boolean)) await query(standby, statement);
    await query(primary, 'INSERT INTO acknowledged VALUES (3)');
    expect(await query(standby, 'SELECT id FROM acknowledged ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  },
);
