import { hostname } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { Fault, quoted } from '../../kernel/fault.js';

export interface PublicAddress {
  /** The configured URL of the service for its users; undefined to use the URL of the request. */
  readonly publicUrl: string | undefined;
  /** Host names, in lower case and without a port, that links may contain in addition to those of this machine. */
  readonly allowedHosts: readonly string[];
}

/**
 * Returns the origin of the service as the client reaches it. The header `Host` is checked because a client can send
 * any host: a link with it would lead readers of a shared feed to another site.
 * @throws Fault invalid `request.bad-host`
 */
export function publicOrigin(request: FastifyRequest, { publicUrl, allowedHosts }: PublicAddress): string {
  return publicUrl ?? ownOrigin(request, allowedHosts);
}

/**
 * Returns the origin as `publicOrigin` does, but checks the header `Host` even if the URL is configured. A page of
 * another site that points its own name at this machine (DNS rebinding) sends that name.
 * @throws Fault invalid `request.bad-host`
 */
export function publicOriginOfOwnHost(request: FastifyRequest, { publicUrl, allowedHosts }: PublicAddress): string {
  if (publicUrl === undefined) return ownOrigin(request, allowedHosts);
  ownOrigin(request, [...allowedHosts, new URL(publicUrl).hostname]);
  return publicUrl;
}

function ownOrigin(request: FastifyRequest, allowedHosts: readonly string[]): string {
  const base = `${request.protocol}://${request.host}`;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url && url.username === '' && url.pathname === '/' && isOwnHost(url.hostname, request, allowedHosts)) {
    return url.origin;
  }
  throw badHost(request.host);
}

function badHost(host: string): Fault {
  return new Fault(
    'invalid',
    'request.bad-host',
    `The Host header ${quoted(host)} is not a known name of this service, so it cannot be used in links. Use another address of the service, or ask the administrator to set publicUrl or to add the name to allowedHosts.`,
  );
}

/** Returns whether a name or address belongs to this machine, as far as known, or is configured. */
function isOwnHost(name: string, { socket }: FastifyRequest, allowedHosts: readonly string[]): boolean {
  const local = socket.localAddress?.replace(/^::ffff:/, '');
  const own = ['localhost', '127.0.0.1', '[::1]', hostname().toLowerCase(), local, `[${local}]`];
  return own.includes(name) || allowedHosts.includes(name);
}
