import type { FastifyRequest } from 'fastify';

/** Whether the headers of a request announce a body. Node completes even a request without one after its first hooks. */
export function hasBody({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
