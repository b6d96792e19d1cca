import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { groupQuery } from '../../search/group-query.js';
import { parseView } from '../../search/parse-view.js';
import type { SearchPage } from '../../search/search-index.port.js';
import { listValues, type SearchParams } from '../../search/search-params.js';
import { noteSearch } from './note-search.js';
import { acceptAnyQuery, type SearchRoutesDeps, toQuery } from './search.routes.js';
import { sendResult } from './send-page.js';
import { getThreadSchema, threadParameterNames } from './thread.schema.js';

/** Registers the route of the entries of a thread. */
export async function threadRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { cost: 'search' } } as const;
  app.get('/threads/:groupId', { ...shared, schema: getThreadSchema }, getThread(deps));
}

const getThread = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { groupId } = request.params as { groupId: string };
  const params = pick(request.query as SearchParams, threadParameterNames);
  const view = parseView(params);
  const query = groupQuery(groupId, toQuery({ query: params, context: request.context }, deps));
  const isNamed = groupId.trim() !== '';
  const options = { signal: clientDisconnected(reply), view, position: true };
  const page = isNamed ? await noteSearch(request, query, () => deps.searchIndex.search(query, options)) : noEntries;
  return sendResult(reply, deps, { query, view, page }, { asOf: page.position });
};

/** Result for an empty id: an entry without a thread may have the property of threads with an empty value. */
const noEntries: SearchPage = { hitCount: 0, entries: { kind: 'joined', json: Buffer.from('[]') } };

function pick(params: SearchParams, names: readonly string[]): SearchParams {
  const given = names.filter((name) => listValues(params, name).length > 0);
  return Object.fromEntries(given.map((name) => [name, listValues(params, name)]));
}
