import type { FastifyRequest } from 'fastify';
import type { EntryVersion } from '../../search/search-index.port.js';

const written = new WeakMap<FastifyRequest, EntryVersion>();

/** Records which entry a request has written; of several that were written together, the one with the highest id. */
export function noteWritten(request: FastifyRequest, { id, version }: EntryVersion): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') written.set(request, { id, version });
}

/** Undefined when the request has written no entry. */
export function writtenBy(request: FastifyRequest): EntryVersion | undefined {
  return written.get(request);
}
