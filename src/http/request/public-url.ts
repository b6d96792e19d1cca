import { hostname } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { Fault, quoted } from '../../kernel/fault.js';

export interface PublicAddress {
  /** The configured URL at which users reach the service; undefined: the URL of the request. */
  readonly publicUrl: string | undefined;
  /** Host names, in lower case and without a port, that links may contain in addition to those of this machine. */
  readonly allowedHosts: readonly string[];
}

/**
 * Returns the origin of the service as the client reaches it. The header `Host` is checked, because anyone can send any
 * host: a link with it would lead readers of a shared feed to another site.
 * @throws Fault invalid `request.bad-host`
 */
export function publicOrigin(request: FastifyRequest, { publicUrl, allowedHosts }: PublicAddress): string {
  if (publicUrl !== undefined) return publicUrl;
  const base = `${request.protocol}://${request.host}`;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url && url.username === '' && url.pathname === '/' && isOwnHost(url.hostname, request, allowedHosts)) {
    return url.origin;
  }
  throw new Fault(
    'invalid',
    'request.bad-host',
    `The Host header ${quoted(request.host)} is not known to be this service, and links are built from it. Use another address of the service; the administrator can set publicUrl, or add the name to allowedHosts.`,
  );
}

/** Returns whether a name or address is one of this machine, as far as known, or is configured. */
function isOwnHost(name: string, { socket }: FastifyRequest, allowedHosts: readonly string[]): boolean {
  const local = socket.localAddress?.replace(/^::ffff:/, '');
  const own = ['localhost', '127.0.0.1', '[::1]', hostname().toLowerCase(), local, `[${local}]`];
  return own.includes(name) || allowedHosts.includes(name);
}
