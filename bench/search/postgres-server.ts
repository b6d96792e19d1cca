import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A row that takes longer is given up. */
export const statementTimeoutMs = 20_000;

const readyWithinMs = 120_000;
const databaseName = 'postgres';
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=1GB',
  'work_mem=64MB',
  'maintenance_work_mem=512MB',
  'max_wal_size=8GB',
  'synchronous_commit=off',
  'random_page_cost=1.1',
  'effective_cache_size=4GB',
  'default_toast_compression=lz4',
  'jit=off',
];

type User = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** A PostgreSQL of this machine on a data directory of its own, for as long as it is needed. */
export class PostgresServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly binaries: string,
    private readonly port: number,
  ) {}

  /**
   * Makes the data directory when it is not there.
   * @throws Error for people when there is no PostgreSQL, or it does not start
   */
  static async start(dir: string): Promise<PostgresServer> {
    const binaries = findBinaries();
    // It refuses to run as root.
    const user = process.getuid?.() === 0 ? unprivilegedUser() : {};
    if (!existsSync(join(dir, 'PG_VERSION'))) makeCluster(binaries, dir, user);
    const port = await freePort();
    const logFile = join(dir, 'log');
    const log = openSync(logFile, 'a');
    const options = [...settings, `port=${port}`].flatMap((setting) => ['-c', setting]);
    const child = spawn(join(binaries, 'postgres'), ['-D', dir, ...options], {
      ...user,
      cwd: dir,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const server = new PostgresServer(child, binaries, port);
    try {
      await server.ready();
    } catch (error) {
      await server.stop();
      throw new Error(`PostgreSQL does not start: ${readFileSync(logFile, 'utf8').slice(-2_000)}`, { cause: error });
    }
    return server;
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database: databaseName });
    // A server that is stopped in the middle of a query is told by the query.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Copies rows in PostgreSQL's text format, each with its newline, into a table. */
  async copy(table: string, rows: AsyncIterable<string> | Iterable<string>): Promise<void> {
    const to = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres', '-d', databaseName];
    const child = spawn(join(this.binaries, 'psql'), [...to, '-qXc', `COPY ${table} FROM STDIN`], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const ended = once(child, 'exit');
    const broken = once(child.stdin, 'error').catch(() => undefined);
    for await (const row of rows) {
      if (child.stdin.destroyed) break;
      if (!child.stdin.write(row)) await Promise.race([once(child.stdin, 'drain'), broken]);
    }
    child.stdin.end();
    await finished(child.stdin).catch(() => undefined);
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`psql ended with ${code} while it copied into ${table}`);
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // The "fast shutdown": what runs is ended.
    child.kill('SIGINT');
    await ended;
  }

  private async ready(): Promise<void> {
    for (const endMs = performance.now() + readyWithinMs; ; await sleep(100)) {
      if (this.child.exitCode !== null) throw new Error(`it ended with ${this.child.exitCode}`);
      try {
        const client = await this.connect();
        await client.end();
        return;
      } catch (error) {
        if (performance.now() > endMs) throw error;
      }
    }
  }
}

function makeCluster(binaries: string, dir: string, user: User): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid);
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', dir, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

function findBinaries(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const found = places.find((place) => ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(place, name))));
  if (found === undefined) throw new Error('There is no PostgreSQL on this machine (initdb, postgres and psql).');
  return found;
}

function unprivilegedUser(): User {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // There is no such user; the next one will do.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody.');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
