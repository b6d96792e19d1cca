import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findReadable } from '../../entries/readable-entries.js';
import { entryNotFound } from '../../entries/update-entry.js';
import { errorResponses, readErrors } from '../../http/common.schema.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { Type } from '../../kernel/json-schema.js';
import { parseEntryId, toReader } from '../entries/entry-parameters.js';
import { acceptAnyQuery, type SearchRoutesDeps, similarSize, toQuery } from './search.routes.js';
import { filterParameters, SimilarSchema, searchTags } from './search.schema.js';

const similarSchema = {
  tags: searchTags,
  operationId: 'listSimilarEntries',
  summary: 'List similar entries',
  description:
    'At most 10 entries whose meaning or devices are most similar to those of an entry, most similar first, among those that match the parameters. New entries and edits may count only after a few seconds.',
  params: Type.Object({ logId: Type.String({ description: 'Id of the entry.' }) }),
  querystring: Type.Object(filterParameters),
  response: { 200: SimilarSchema, ...errorResponses(...readErrors, 404) },
};

/** Registers the route that lists entries similar to an entry. */
export async function similarRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { cost: 'search' } } as const;
  app.get('/logs/:logId/similar', { ...shared, schema: similarSchema }, listSimilar(deps));
}

const listSimilar = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const id = parseEntryId((request.params as { logId: string }).logId);
  if (!(await findReadable(deps.entries, toReader(request, deps), id))) throw entryNotFound(id);
  const query = toQuery(request, deps);
  return deps.searchIndex.similar({ to: id, query, size: similarSize }, { signal: clientDisconnected(reply) });
};
