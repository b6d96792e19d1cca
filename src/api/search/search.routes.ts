import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { streamChunks } from '../../http/reply/json-stream.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { framePage } from '../../search/page-frame.js';
import type { PageView } from '../../search/page-view.js';
import { parseQuery } from '../../search/parse-query.js';
import { parseView } from '../../search/parse-view.js';
import type { Query } from '../../search/query.js';
import type { PageEntries, SearchIndex } from '../../search/search-index.port.js';
import { lastValue, listValues, type SearchParams } from '../../search/search-params.js';
import { pageChunks, type ShowMore, shownChunks } from '../../search/stream-page.js';
import { type TimeInterval, timeIntervals } from '../../search/time-buckets.js';
import {
  countEntriesSchema,
  listEntriesSchema,
  searchEntriesSchema,
  toExplanationView,
  toFacetsView,
} from './search.schema.js';
import { ViewedEntrySchema } from './viewed-entry.schema.js';

export interface SearchRoutesDeps {
  readonly searchIndex: SearchIndex;
  readonly entries: EntryReader;
  readonly permissions: Permissions;
  readonly clock: Clock;
  /** IANA zone of times that name none. */
  readonly zone: string;
}

const json = 'application/json; charset=utf-8';

/** Accepts every query string: `parseQuery` validates the parameters, whose names may be written in any case. */
export const acceptAnyQuery = () => () => true;

/** The search as a list of entries, as a result object, and as counts. */
export async function searchRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { admission: 'search' } } as const;
  app.addSchema(ViewedEntrySchema);
  app.get('/logs', { ...shared, schema: listEntriesSchema }, listEntries(deps));
  app.get('/logs/search', { ...shared, schema: searchEntriesSchema }, searchEntries(deps));
  app.get('/logs/facets', { ...shared, schema: countEntriesSchema }, countEntries(deps));
}

const listEntries = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const signal = clientDisconnected(reply);
  const query = toQuery(request, deps);
  const view = parseView(request.query as SearchParams);
  const { entries } = await deps.searchIndex.search(query, { signal, view });
  return reply.type(json).send(pageJson(reply, entries, pageRest(deps, query, view, signal)));
};

const searchEntries = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const query = toQuery(request, deps);
  const explain = findParameter(request, 'explain')?.toLowerCase() === 'true';
  const signal = clientDisconnected(reply);
  const view = parseView(request.query as SearchParams);
  const page = await deps.searchIndex.search(query, { signal, explain, view });
  const explanation = page.explanation && JSON.stringify(toExplanationView(page.explanation, query));
  const body = pageJson(reply, page.entries, pageRest(deps, query, view, signal), {
    before: `{"hitCount":${page.hitCount},"logs":`,
    after: explanation === undefined ? '}' : `,"explain":${explanation}}`,
  });
  return reply.type(json).send(body);
};

const countEntries = (deps: SearchRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const query = toQuery(request, deps);
  const interval = parseInterval(findParameter(request, 'interval'));
  const facets = await deps.searchIndex.facets(query, interval, { signal: clientDisconnected(reply) });
  return toFacetsView(facets, query.zone);
};

/** Longer pages are written in pieces, so that others are served in between. */
const longPageBytes = 262_144;
const pieceBytes = 65_536;

async function* piecesOf(page: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < page.byteLength; at += pieceBytes) yield page.subarray(at, at + pieceBytes);
}

/** Where the entries of a long page come from that do not arrive with the page. */
interface PageRest {
  readonly reader: EntryReader;
  readonly showMore: ShowMore;
}

function pageRest(
  { searchIndex, entries }: SearchRoutesDeps,
  query: Query,
  view: PageView | undefined,
  signal: AbortSignal,
): PageRest {
  return {
    reader: entries,
    showMore: (versions) => {
      if (!view) throw new Error('this page is in no view');
      return searchIndex.show({ query, view }, versions, { signal });
    },
  };
}

/** Returns the entries of a page as a JSON array, with text before and after it. A long page is read while it is sent. */
function pageJson(
  reply: FastifyReply,
  entries: PageEntries,
  { reader, showMore }: PageRest,
  { before = '', after = '' } = {},
): Buffer | Readable {
  if (entries.kind === 'joined') {
    const page = framePage(entries.json, before, after);
    if (page.byteLength <= longPageBytes) return page;
    reply.header('content-length', page.byteLength);
    return streamChunks(reply, piecesOf(page));
  }
  const chunks = async function* () {
    if (before !== '') yield Buffer.from(before);
    yield* entries.kind === 'begun' ? shownChunks(entries, showMore) : pageChunks(entries, reader);
    if (after !== '') yield Buffer.from(after);
  };
  return streamChunks(reply, chunks());
}

/** @throws Fault invalid with a `search.…` code */
export function toQuery(
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

/** Returns the value of a parameter that is not part of the query, undefined when absent. */
function findParameter(request: FastifyRequest, name: string): string | undefined {
  return lastValue(listValues(request.query as SearchParams, name));
}

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
