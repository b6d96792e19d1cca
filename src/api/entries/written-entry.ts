import type { FastifyRequest } from 'fastify';
import type {} from '../../http/request/request-context.js';
import type { EntryRevision } from '../../search/search-index.port.js';

declare module '../../http/request/request-context.js' {
  interface RequestContext {
    /** The entry that the request has written; the one with the highest id if there are several. */
    written?: EntryRevision;
  }
}

export function noteWritten(request: FastifyRequest, { id, revision }: EntryRevision): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') request.context.written = { id, revision };
}
