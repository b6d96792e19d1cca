import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { type TimeInterval, timeIntervals } from '../../search/time-buckets.js';
import { countEntriesSchema, toFacetsView } from './facets.schema.js';
import { acceptAnyQuery, findParameter, type SearchRoutesDeps, toQuery } from './search.routes.js';

/** The search as counts. */
export async function facetsRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { admission: 'search' } } as const;
  app.get('/logs/facets', { ...shared, schema: countEntriesSchema }, countEntries(deps));
}

const countEntries = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const query = toQuery(request, deps);
  const interval = parseInterval(findParameter(request, 'interval'));
  const facets = await deps.searchIndex.facets(query, interval, { signal: clientDisconnected(reply) });
  return toFacetsView(facets, query.zone);
};

/** @throws Fault invalid `search.bad-interval` */
function parseInterval(value: string | undefined): TimeInterval | undefined {
  if (value === undefined || value === '') return undefined;
  const interval = timeIntervals.find((one) => one === value.toLowerCase());
  if (interval) return interval;
  throw new Fault(
    'invalid',
    'search.bad-interval',
    `${quoted(value)} is not an interval. Use one of ${timeIntervals.join(', ')}.`,
  );
}
