import type { FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';

export interface PublicAddress {
  readonly rootPath: string;
  /** The configured URL at which users reach the service; undefined: the URL of the request. */
  readonly publicUrl: string | undefined;
}

/**
 * The URL of the root path as the client reaches it, without a trailing slash.
 * @throws Fault invalid `request.bad-host`
 */
export function publicBaseUrl(request: FastifyRequest, { rootPath, publicUrl }: PublicAddress): string {
  const base = `${publicUrl ?? `${request.protocol}://${request.host}`}${rootPath}`;
  if (URL.canParse(base)) return base;
  throw new Fault(
    'invalid',
    'request.bad-host',
    'The Host header is not a valid host name. It is needed to build links.',
  );
}
