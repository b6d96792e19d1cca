import type { FastifyRequest } from 'fastify';

/**
 * Whether the headers of a request announce a body. `complete` of Node's request is false during the first hooks even
 * for a request without a body.
 */
export function hasBody({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
