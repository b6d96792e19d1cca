import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import type { Clock } from '../../kernel/clock.js';
import { parseQuery } from '../../search/parse-query.js';
import { parseView } from '../../search/parse-view.js';
import type { Query } from '../../search/query.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import { lastValue, listValues, type SearchParams } from '../../search/search-params.js';
import { noteSearch } from './note-search.js';
import { listEntriesSchema, searchEntriesSchema, toExplanationView } from './search.schema.js';
import { SearchByMeaning } from './search-by-meaning.js';
import { sendPage, sendResult } from './send-page.js';
import { ViewedEntrySchema } from './viewed-entry.schema.js';

export interface SearchRoutesDeps {
  readonly searchIndex: SearchIndex;
  readonly entries: EntryReader;
  readonly permissions: Permissions;
  readonly clock: Clock;
  /** IANA zone for times without a zone. */
  readonly zone: string;
}

/**
 * Accepts every query string. `parseQuery` validates the parameters, because their names may be written in any case.
 */
export const acceptAnyQuery = () => () => true;

/** Routes of the search, with the result as a list of entries or as an object. */
export async function searchRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { cost: 'search' } } as const;
  app.addSchema(ViewedEntrySchema);
  app.get('/logs', { ...shared, schema: listEntriesSchema }, listEntries(deps));
  app.get('/logs/search', { ...shared, schema: searchEntriesSchema }, searchEntries(deps));
}

const listEntries = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const query = toQuery(request, deps);
  const view = parseView(request.query as SearchParams);
  const signal = clientDisconnected(reply);
  const page = await noteSearch(request, query, () => deps.searchIndex.search(query, { signal, view }));
  return sendPage(reply, deps, { query, view, page });
};

const searchEntries = (deps: SearchRoutesDeps) => {
  const byMeaning = new SearchByMeaning(deps.searchIndex);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const query = toQuery(request, deps);
    const explain = findParameter(request, 'explain')?.toLowerCase() === 'true';
    const view = parseView(request.query as SearchParams);
    // Clients of the plain search may not expect an additional field.
    const position = view !== undefined || findParameter(request, 'asof') !== undefined;
    const options = { signal: clientDisconnected(reply), explain, view, position };
    const page = await noteSearch(request, query, () => deps.searchIndex.search(query, options));
    const meaning = findParameter(request, 'meaning')?.trim();
    const similar = meaning ? { to: meaning, query, size: similarSize } : undefined;
    return sendResult(
      reply,
      deps,
      { query, view, page },
      {
        asOf: page.position,
        explain: page.explanation && toExplanationView(page.explanation, query),
        byMeaning: similar && (await byMeaning.find(similar, request.log, options.signal)),
      },
    );
  };
};

/** Maximum number of entries found by their meaning. */
export const similarSize = 10;

/** @throws Fault invalid with a `search.…` code */
export function toQuery(
  request: Pick<FastifyRequest, 'query' | 'context'>,
  { clock, zone, permissions }: SearchRoutesDeps,
  limits: { size?: number; maxSize?: number } = {},
): Query {
  return parseQuery(request.query as SearchParams, {
    nowMs: clock.nowMs(),
    zone,
    hiddenLogbooks: permissions.hiddenLogbooksFor(request.context.principal),
    ...limits,
  });
}

/** Returns the value of a parameter that is not part of the query; undefined when absent. */
export function findParameter(request: FastifyRequest, name: string): string | undefined {
  return lastValue(listValues(request.query as SearchParams, name));
}
