import type { ListenerOptions } from '../config/service-options.js';
import { ConfigurationError } from '../kernel/configuration-error.js';

/** Number of the first file descriptor that systemd passes. */
const firstDescriptor = 3;

/**
 * Takes the listening sockets that systemd passes to this process (`sd_listen_fds`). Removes their description from the
 * environment, which child processes inherit.
 * @throws ConfigurationError when a socket belongs to no listener: connections to it would wait forever
 */
export function takeSockets(
  { httpPort, httpsPort }: Pick<ListenerOptions, 'httpPort' | 'httpsPort'>,
  env: NodeJS.ProcessEnv = process.env,
  pid: number = process.pid,
): NonNullable<ListenerOptions['sockets']> {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  if (LISTEN_PID !== String(pid)) return {};
  const ports = { http: httpPort, https: httpsPort };
  const names = (LISTEN_FDNAMES ?? '').split(':');
  const sockets: { http?: number; https?: number } = {};
  for (let at = 0; at < Number(LISTEN_FDS); at++) {
    const name = names[at] ?? '';
    if (name !== 'http' && name !== 'https') {
      throw refusal(
        name,
        'which no listener has. Write FileDescriptorName=http or FileDescriptorName=https into its unit',
      );
    }
    if (sockets[name] !== undefined) throw refusal(name, 'and another one. Leave one ListenStream= in its unit');
    if (ports[name] === 'off') throw refusal(name, `and ${name}Port is off. Disable its unit`);
    sockets[name] = firstDescriptor + at;
  }
  return sockets;
}

function refusal(name: string, problem: string): ConfigurationError {
  return new ConfigurationError(`systemd passes a socket with the name “${name}”, ${problem}.`);
}
