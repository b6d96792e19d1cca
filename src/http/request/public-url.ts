import type { FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';

export interface PublicAddress {
  readonly rootPath: string;
  /** Where people reach the service; empty: as they asked. */
  readonly publicUrl: string;
}

/**
 * The address of the root path as the one who asks reaches it, without a slash at its end.
 * @throws Fault invalid `request.bad-host`
 */
export function publicBaseUrl(request: FastifyRequest, { rootPath, publicUrl }: PublicAddress): string {
  const base = `${publicUrl || `${request.protocol}://${request.host}`}${rootPath}`;
  if (URL.canParse(base)) return base;
  throw new Fault('invalid', 'request.bad-host', 'The Host header is not the name of a host, and links need one.');
}
