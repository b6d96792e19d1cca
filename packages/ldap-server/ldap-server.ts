import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Connection } from './connection.js';
import { buildDirectory, type Directory } from './directory.js';
import { FairScheduler } from './fair-scheduler.js';
import { LdifError, parseLdif } from './ldif.js';
import { defaultLimits, type Limits } from './limits.js';
import { PasswordCheck } from './password-check.js';
import type { SessionDeps } from './session.js';

const host = '127.0.0.1';
const maxFileBytes = 8 * 1024 * 1024;

export interface LdapServer {
  readonly url: string;
  /** Closes all connections without finishing their requests, and resolves when the port is free. */
  stop(): Promise<void>;
}

export interface LdapServerOptions {
  readonly ldifFile: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log?: (message: string, error: unknown) => void;
  readonly limits?: Partial<Limits>;
}

/**
 * Serves the entries of an LDIF file to LDAP clients on this machine. Any client may search, without a bind; no client
 * can change an entry or read a password.
 * @throws Error when the file or the port cannot be used
 */
export async function startLdapServer(options: LdapServerOptions): Promise<LdapServer> {
  const log = options.log ?? (() => undefined);
  const directory = await readDirectory(options.ldifFile);
  const limits = { ...defaultLimits, ...options.limits };
  const passwords = new PasswordCheck(
    directory.entries.map((entry) => entry.passwords),
    log,
  );
  const connections = new Set<Connection>();
  const server = createTcpServer({ directory, passwords, scheduler: new FairScheduler(), limits, log }, connections);
  try {
    await listen(server, options.port);
  } catch (error) {
    await passwords.close();
    throw error;
  }
  server.on('error', (error) => log('LDAP server cannot accept connections', error));
  const { port } = server.address() as AddressInfo;
  return {
    url: `ldap://${host}:${port}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.close();
      await Promise.all([closed, passwords.close()]);
    },
  };
}

const fileErrors: Readonly<Record<string, string>> = { ENOENT: 'file not found', EACCES: 'permission denied' };

async function readDirectory(file: string): Promise<Directory> {
  try {
    const info = await stat(file);
    if (!info.isFile()) throw new Error('it is not a file');
    if (info.size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes / 1024 / 1024} MB`);
    return buildDirectory(parseLdif(await readFile(file)));
  } catch (error) {
    if (error instanceof LdifError) throw new Error(`LDIF file ${file}, ${error.message}`, { cause: error });
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot read the LDIF file ${file}: ${fileErrors[code] ?? message}.`, { cause: error });
  }
}

function createTcpServer(deps: SessionDeps, connections: Set<Connection>): Server {
  return createServer({ noDelay: true }, (socket) => {
    if (connections.size >= deps.limits.maxConnections && !evictIdleConnection(connections)) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, deps);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
}

/** Closes the connection that has been idle longest, so that idle clients cannot lock out others. */
function evictIdleConnection(connections: Set<Connection>): boolean {
  const idle = [...connections].filter((connection) => connection.isIdle);
  const [longestIdle] = idle.sort((a, b) => a.lastUsedMs - b.lastUsedMs);
  if (!longestIdle) return false;
  longestIdle.close();
  connections.delete(longestIdle);
  return true;
}

const portErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses it. Choose another port, or 0 for any free port',
  EACCES: 'permission denied. Choose a port above 1023',
};

async function listen(server: Server, port: number): Promise<void> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`The LDAP server cannot listen on port ${port}: ${portErrors[code] ?? message}.`, { cause: error });
  }
}
