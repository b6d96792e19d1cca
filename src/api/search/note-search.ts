import type { FastifyRequest } from 'fastify';
import type { NotedSearch } from '../../http/request/slow-requests.js';
import { describeQuery } from '../../search/describe-query.js';
import type { Query } from '../../search/query.js';

/** Runs the search of a request, and notes its query and duration for the log. */
export async function noteSearch<T extends { readonly hitCount: number }>(
  request: FastifyRequest,
  query: Query,
  search: () => Promise<T>,
): Promise<T> {
  const note: NotedSearch = { describe: () => describeQuery(query), ms: 0 };
  request.context.notedSearch = note;
  const startedMs = performance.now();
  try {
    const found = await search();
    note.hitCount = found.hitCount;
    return found;
  } finally {
    note.ms = performance.now() - startedMs;
  }
}
