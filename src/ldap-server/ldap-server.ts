import { open } from 'node:fs/promises';
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
  /** Resolves when its port is free and its connections are closed, whoever still waits for an answer. */
  stop(): Promise<void>;
}

export interface LdapServerOptions {
  readonly ldifFile: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly log?: (message: string, error: unknown) => void;
  readonly limits?: Partial<Limits>;
}

/**
 * Serves the entries of a file to the LDAP clients of this machine. They can be searched by anybody and changed by
 * nobody; passwords are checked and never told.
 * @throws Error for people when the file cannot be used, or the port
 */
export async function startLdapServer(options: LdapServerOptions): Promise<LdapServer> {
  const log = options.log ?? (() => undefined);
  const directory = await readDirectory(options.ldifFile);
  const passwords = new PasswordCheck(
    directory.entries.map((entry) => entry.passwords),
    log,
  );
  const limits = { ...defaultLimits, ...options.limits };
  const connections = new Set<Connection>();
  const server = acceptConnections({ directory, passwords, turns: new FairScheduler(), limits, log }, connections);
  try {
    await listen(server, options.port);
  } catch (error) {
    await passwords.close();
    throw error;
  }
  server.on('error', (error) => log('the embedded directory cannot accept connections', error));
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

async function readDirectory(file: string): Promise<Directory> {
  const content = await readContent(file);
  try {
    return buildDirectory(parseLdif(content));
  } catch (error) {
    if (error instanceof LdifError) throw new Error(`The directory file ${file}, ${error.message}`, { cause: error });
    throw error;
  }
}

async function readContent(file: string): Promise<Buffer> {
  try {
    const handle = await open(file, 'r');
    try {
      const info = await handle.stat();
      if (!info.isFile()) throw new Error('it is no file');
      if (info.size > maxFileBytes) throw new Error(`it has more than ${maxFileBytes / 1024 / 1024} MB`);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EACCES'
          ? 'it may not be read'
          : (message ?? String(error));
    throw new Error(`The directory file ${file} cannot be used: ${reason}.`, { cause: error });
  }
}

function acceptConnections(deps: SessionDeps, connections: Set<Connection>): Server {
  return createServer({ noDelay: true }, (socket) => {
    if (connections.size >= deps.limits.maxConnections && !closeLeastUsed(connections)) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, deps);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
}

/** Connections that nobody uses must not keep others out: the one unused for longest makes room. */
function closeLeastUsed(connections: Set<Connection>): boolean {
  const idle = [...connections].filter((connection) => connection.isIdle);
  const [leastUsed] = idle.sort((a, b) => a.lastUsedMs - b.lastUsedMs);
  if (!leastUsed) return false;
  leastUsed.close();
  connections.delete(leastUsed);
  return true;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? 'another program uses it. Choose another one, or 0 for any that is free'
          : error.code === 'EACCES'
            ? 'it needs more rights. Choose a port above 1023'
            : error.message;
      reject(new Error(`The embedded directory cannot use port ${port}: ${reason}.`, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}
