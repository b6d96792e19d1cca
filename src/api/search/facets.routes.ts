import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { parseChoice } from '../../search/parse-view.js';
import type { Query } from '../../search/query.js';
import type { FacetOptions } from '../../search/search-index.port.js';
import { searchLimits } from '../../search/search-limits.js';
import type { SearchParams } from '../../search/search-params.js';
import type { TimeInterval } from '../../search/time-buckets.js';
import { countEntriesSchema, facetIntervals, toFacetsView } from './facets.schema.js';
import { noteSearch } from './note-search.js';
import { acceptAnyQuery, findParameter, type SearchRoutesDeps, toQuery } from './search.routes.js';

/** Registers the route that counts the entries of a search. */
export async function facetsRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { cost: 'search' } } as const;
  app.get('/logs/facets', { ...shared, schema: countEntriesSchema }, countEntries(deps));
}

const countEntries = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const query = toQuery(request, deps);
  const options = parseOptions(request, query, deps.clock.nowMs());
  const signal = clientDisconnected(reply);
  const facets = await noteSearch(request, query, () => deps.searchIndex.facets(query, { ...options, signal }));
  return toFacetsView(facets, query.zone);
};

/** @throws Fault invalid `search.bad-interval`, `search.bad-buckets`, `search.bad-view` */
function parseOptions(request: FastifyRequest, { window }: Query, nowMs: number): FacetOptions {
  const interval = parseInterval(findParameter(request, 'interval'));
  const buckets = parseBuckets(findParameter(request, 'buckets'));
  const excludeOwn = parseChoice(request.query as SearchParams, 'facetsexcludeown', ['true', 'false']) === 'true';
  if (interval !== 'auto' && buckets === undefined) return { interval, excludeOwn };
  const fromMs = window?.startMs;
  const toMs = window?.endMs ?? (fromMs === undefined ? undefined : Math.max(fromMs, nowMs));
  return { interval: interval ?? 'auto', buckets, excludeOwn, cover: { fromMs, toMs } };
}

/** @throws Fault invalid `search.bad-interval` */
function parseInterval(value: string | undefined): TimeInterval | 'auto' | undefined {
  if (value === undefined || value === '') return undefined;
  const interval = facetIntervals.find((one) => one === value.toLowerCase());
  if (interval) return interval;
  throw new Fault(
    'invalid',
    'search.bad-interval',
    `${quoted(value)} is not an interval. Use one of ${facetIntervals.join(', ')}.`,
  );
}

/** @throws Fault invalid `search.bad-buckets` */
function parseBuckets(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= searchLimits.timeBuckets) return Number(value);
  throw new Fault(
    'invalid',
    'search.bad-buckets',
    `“buckets” is ${quoted(value)}; it must be a whole number from 1 to ${searchLimits.timeBuckets}.`,
  );
}
