import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { productDir } from '../../src/kernel/product.js';
import { freePort } from '../fixtures/free-port.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { findBinaries, serverUser } from '../fixtures/postgres-server.js';

interface Service {
  readonly environment: Record<string, string>;
  readonly command: string | readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly healthcheck: { readonly test: readonly string[] };
}

interface ComposeFile {
  readonly services: { readonly primary: Service; readonly standby: Service };
  readonly configs: Record<string, { readonly content: string }>;
}

const execute = promisify(execFile);
const password = 'the-password';
/** Time after which a step counts as waiting forever. */
const waitsForeverMs = 300_000;
const dataDir = '/var/lib/postgresql/data';
const common = ['-c', 'fsync=off', '-c', 'shared_buffers=64MB'];

/** Runs a service of the file on this machine, as a container with the image of PostgreSQL would. */
class Container {
  private constructor(
    private readonly service: Service,
    private readonly dir: string,
    readonly port: number,
    private readonly primaryPort: number,
  ) {}

  static async make(service: Service, primary?: Container): Promise<Container> {
    const dir = await mkdtemp(join(tmpdir(), 'logbook-compose-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const { uid, gid } = serverUser();
    await mkdir(join(dir, 'data'), { mode: 0o700 });
    if (uid !== undefined) for (const one of [dir, join(dir, 'data')]) chownSync(one, uid, gid);
    const port = await freePort();
    return new Container(service, dir, port, primary?.port ?? port);
  }

  /** A path in the volume, which every container has at the same place. */
  path(text: string): string {
    return text.replaceAll(dataDir, join(this.dir, 'data'));
  }

  private get env(): Record<string, string> {
    const environment = Object.entries(this.service.environment).map(([name, value]) => [
      name,
      this.path(value).replace(/\$\{LOGBOOK_PASSWORD.*?\}/, password),
    ]);
    return {
      PATH: `${findBinaries()}:${process.env.PATH}`,
      // Directory of the socket.
      PGHOST: this.dir,
      PGPORT: String(this.primaryPort),
      PGDATA: this.path(dataDir),
      ...(Object.fromEntries(environment) as Record<string, string>),
    };
  }

  async run(program: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return execute(program, args, { ...serverUser(), cwd: '/', env: this.env, timeout: waitsForeverMs });
  }

  /** Whether its health check succeeds. */
  async isHealthy(): Promise<boolean> {
    const check = String(this.service.healthcheck.test[1]);
    try {
      await execute('sh', ['-c', check], { env: { ...this.env, PGPORT: String(this.port) } });
      return true;
    } catch {
      return false;
    }
  }

  start(program: string, ...args: string[]): void {
    const child = spawn(program, args, {
      ...serverUser(),
      cwd: '/',
      env: this.env,
      detached: true,
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGQUIT');
      await ended;
    });
  }

  async query(sql: string): Promise<Record<string, unknown>[]> {
    const place = { host: '127.0.0.1', port: this.port, database: 'logbook' };
    const client = new pg.Client({ ...place, user: 'logbook', password, query_timeout: waitsForeverMs });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Creates the data directory as the image does, without the scripts that the file mounts. */
async function initialize(primary: Container): Promise<void> {
  const data = primary.path(dataDir);
  const passwordFile = primary.path(`${dataDir}/../password`);
  await writeFile(passwordFile, password, { mode: 0o644 });
  await primary.run('initdb', '--username=logbook', `--pwfile=${passwordFile}`, '--no-sync');
  // Other containers connect from addresses that, unlike this machine, are not trusted.
  const rules = await readFile(join(data, 'pg_hba.conf'), 'utf8');
  await writeFile(join(data, 'pg_hba.conf'), `${rules.replace(/^host.*\n/gm, '')}\nhost all all all scram-sha-256\n`);
  const settings = `listen_addresses = '127.0.0.1'\nunix_socket_directories = '${primary.path(`${dataDir}/..`)}'\n`;
  await appendFile(join(data, 'postgresql.conf'), settings);
}

/** The scripts that the file mounts for the first start, with what Compose makes of them. */
async function mountScripts({ services, configs }: ComposeFile, primary: Container): Promise<string[]> {
  const scripts: string[] = [];
  for (const { source, target } of services.primary.configs ?? []) {
    const script = primary.path(`${dataDir}/../${basename(target)}`);
    await writeFile(script, String(configs[source]?.content).replaceAll('$$', '$'));
    await chmod(script, 0o555);
    scripts.push(script);
  }
  return scripts;
}

test.skipIf(!hasPostgres)(
  'the databases of the cluster start as the image starts them, and the standby is synchronous (needs PostgreSQL)',
  async () => {
    const file = parse(
      await readFile(join(productDir, 'deploy/container/compose.cluster.yaml'), 'utf8'),
    ) as ComposeFile;
    const [, ...options] = String(file.services.primary.command).split(/\s+/);
    const primary = await Container.make(file.services.primary);
    await initialize(primary);
    const data = primary.path(dataDir);

    // The temporary server has the options of the command, and creates the database.
    const temporary = [...common, ...options, '-c', 'listen_addresses=', '-p', String(primary.port)].join(' ');
    onTestFinished(async () => void (await primary.run('pg_ctl', 'stop', '-m', 'immediate').catch(() => undefined)));
    await primary.run('pg_ctl', '-D', data, '-l', join(data, 'log'), '-o', temporary, '-w', 'start');
    const sql = ['-X', '-U', 'logbook', '-v', 'ON_ERROR_STOP=1', '-c', 'CREATE DATABASE logbook'];
    await primary.run('psql', ...sql, 'postgres');
    for (const script of await mountScripts(file, primary)) await primary.run('bash', '-c', '"$0"', script);
    expect(await primary.isHealthy()).toBe(false);
    await primary.run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop');

    primary.start('postgres', ...common, ...options);
    await expect.poll(() => primary.isHealthy()).toBe(true);

    const standby = await Container.make(file.services.standby, primary);
    // Remains of an interrupted copy.
    await standby.run('mkdir', '-p', standby.path(`${dataDir}/standby.part/base`));
    const command = standby
      .path(String(file.services.standby.command))
      .replaceAll('$$', '$')
      .replace(/host[ =]primary/, (host) => host.replace('primary', '127.0.0.1'))
      .replace(
        'exec postgres',
        `exec postgres ${common.join(' ')} -c port=${standby.port} -c unix_socket_directories=`,
      );
    standby.start('/bin/bash', '-c', command);
    await expect.poll(() => standby.isHealthy()).toBe(true);
    const state = 'SELECT application_name, sync_state FROM pg_stat_replication';
    await expect.poll(() => primary.query(state)).toEqual([{ application_name: 'standby', sync_state: 'sync' }]);
    await primary.query('CREATE TABLE acknowledged (id int)');
    expect(await standby.query('SELECT id FROM acknowledged')).toEqual([]);

    // The promoted standby waits for no other.
    await standby.query('SELECT pg_promote()');
    await standby.query('INSERT INTO acknowledged VALUES (1)');
    expect(await standby.query('SHOW synchronous_standby_names')).toEqual([{ synchronous_standby_names: '' }]);
  },
);
