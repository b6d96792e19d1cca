import type { Server } from 'node:net';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import type { PassedSockets } from './socket-options.js';

/** Address to listen on, or the file descriptor of an open socket, which then replaces the address. */
export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  readonly fd?: number;
  readonly backlog: number;
}

/** Maximum number of connections that wait to be accepted: programs open thousands when a run begins. */
const backlog = 4_096;

/** Configured address of a listener. */
interface Place {
  readonly name: keyof PassedSockets;
  readonly host: string;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
}

/**
 * Opens a listener, on the socket that was passed for it if there is one.
 * @throws ConfigurationError when that socket does not listen at the configured host and port: the host decides who can
 *   connect, and other commands use the port.
 */
export async function openListener(
  { name, host, port }: Place,
  { [name]: fd }: PassedSockets,
  server: Server,
  listen: (options: SocketOptions) => Promise<unknown>,
): Promise<void> {
  if (fd === undefined) {
    await listen({ host, port, backlog });
    return;
  }
  await listen({ host, port, fd, backlog }).catch((cause: unknown) => {
    throw new ConfigurationError(`The socket “${name}” of systemd does not listen for TCP connections.`, { cause });
  });
  const found = server.address();
  const isThere =
    found !== null && typeof found === 'object' && found.address === host && [0, found.port].includes(port);
  if (isThere) return;
  const where = found !== null && typeof found === 'object' ? joinAddress(found.address, found.port) : found;
  throw new ConfigurationError(
    `systemd listens at ${where}, but host and ${name}Port are ${joinAddress(host, port)}. Write the same address into ListenStream= of the socket's unit and into the configuration.`,
  );
}

export function joinAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
