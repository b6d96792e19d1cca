import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Permissions } from '../../auth/permissions.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { errorResponses } from '../../http/common.schema.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { drained } from '../../http/reply/drained.js';
import { streamChunks } from '../../http/reply/json-stream.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { parseQuery, type SearchParams } from '../../search/parse-query.js';
import type { Query } from '../../search/query.js';
import type { PageEntries, SearchIndex } from '../../search/search-index.port.js';
import { pageChunks } from '../../search/stream-page.js';
import { type TimeInterval, timeIntervals } from '../../search/time-buckets.js';
import {
  ExplainedSearchParameters,
  FacetParameters,
  SearchAnswerSchema,
  SearchFacetsSchema,
  SearchParameters,
  toExplanationView,
  toFacetsView,
} from './search.schema.js';

export interface SearchRoutesDeps {
  readonly searchIndex: SearchIndex;
  readonly entries: EntryReader;
  readonly permissions: Permissions;
  readonly clock: Clock;
  /** IANA zone of times that name none. */
  readonly zone: string;
}

const json = 'application/json; charset=utf-8';

/** One parser reads the parameters: names in any case, values of its own grammar. */
export const searchParser = () => () => true;

/** The forms of the search: list, result object, counts. */
export async function searchRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const tags = ['Search'];
  const errors = errorResponses(400, 401, 429, 500, 503);
  const validatorCompiler = searchParser;

  app.get(
    '/logs',
    {
      validatorCompiler,
      schema: {
        tags,
        operationId: 'listEntries',
        summary: 'Search, as a list',
        description: 'The matching entries of one page. All parameters are and-ed; unknown ones are ignored.',
        querystring: SearchParameters,
        response: { 200: Type.Array(Type.Ref('Entry'), { description: 'The entries of the page.' }), ...errors },
      },
    },
    async (request, reply) => {
      const signal = clientDisconnected(reply);
      const { entries } = await deps.searchIndex.search(queryOf(request, deps), { signal });
      return reply.type(json).send(pageJson(entries, deps.entries, () => drained(reply.raw, signal)));
    },
  );

  app.get(
    '/logs/search',
    {
      validatorCompiler,
      schema: {
        tags,
        operationId: 'searchEntries',
        summary: 'Search, with the number of matches',
        description: 'The matching entries of one page and how many there are in all, exactly.',
        querystring: ExplainedSearchParameters,
        response: { 200: SearchAnswerSchema, ...errors },
      },
    },
    async (request, reply) => {
      const query = queryOf(request, deps);
      const explain = lastOf(request, 'explain')?.toLowerCase() === 'true';
      const signal = clientDisconnected(reply);
      const page = await deps.searchIndex.search(query, { signal, explain });
      const explanation = page.explanation && JSON.stringify(toExplanationView(page.explanation, query));
      const answer = pageJson(page.entries, deps.entries, () => drained(reply.raw, signal), {
        before: `{"hitCount":${page.hitCount},"logs":`,
        behind: explanation === undefined ? '}' : `,"explain":${explanation}}`,
      });
      return reply.type(json).send(answer);
    },
  );

  app.get(
    '/logs/facets',
    {
      validatorCompiler,
      schema: {
        tags,
        operationId: 'countEntries',
        summary: 'Count, by logbook, tag, level, owner and time',
        description: 'Takes the keys of the search, but for those of its pages.',
        querystring: FacetParameters,
        response: { 200: SearchFacetsSchema, ...errors },
      },
    },
    async (request, reply) => {
      const query = queryOf(request, deps);
      const facets = await deps.searchIndex.facets(query, parseInterval(lastOf(request, 'interval')), {
        signal: clientDisconnected(reply),
      });
      return toFacetsView(facets, query.zone);
    },
  );
}

/**
 * The entries of a page as a JSON array with something before and behind it, to be sent.
 * @param taken resolves when the client has taken what was sent: the next of a long page is read only then
 */
function pageJson(
  entries: PageEntries,
  reader: EntryReader,
  taken: () => Promise<void>,
  { before = '', behind = '' } = {},
): Buffer | Readable {
  if (entries.kind === 'joined') {
    const { buffer, byteOffset, byteLength } = entries.json;
    const json = Buffer.from(buffer, byteOffset, byteLength);
    return before + behind === '' ? json : Buffer.concat([Buffer.from(before), json, Buffer.from(behind)]);
  }
  const pieces = async function* () {
    if (before !== '') yield Buffer.from(before);
    yield* pageChunks(entries, reader);
    if (behind !== '') yield Buffer.from(behind);
  };
  return streamChunks(pieces(), taken);
}

export function queryOf(
  request: FastifyRequest,
  { clock, zone, permissions }: SearchRoutesDeps,
  limits: { size?: number; maxSize?: number } = {},
): Query {
  return parseQuery(request.query as SearchParams, {
    nowMs: clock.nowMs(),
    zone,
    hiddenLogbooks: permissions.hiddenLogbooksFor(request.principal),
    ...limits,
  });
}

/** The value of a key of any case that is no part of the query; of a repeated one the last. */
function lastOf(request: FastifyRequest, key: string): string | undefined {
  return Object.entries(request.query as SearchParams)
    .filter(([name]) => name.trim().toLowerCase() === key)
    .flatMap(([, value]) => value ?? [])
    .at(-1)
    ?.trim();
}

function parseInterval(value: string | undefined): TimeInterval | undefined {
  if (value === undefined || value === '') return undefined;
  const interval = timeIntervals.find((one) => one === value.toLowerCase());
  if (interval) return interval;
  throw new Fault(
    'invalid',
    'search.bad-interval',
    `${quoted(value)} is no interval. Use one of ${timeIntervals.join(', ')}.`,
  );
}
