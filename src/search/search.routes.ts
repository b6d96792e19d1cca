import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { EntryView } from '../entries/entry-view.js';
import { errorResponses } from '../http/wire.js';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { parseQuery, type SearchParams } from './parse-query.js';
import { renderRss } from './rss.js';
import type { SearchIndex } from './search-index.port.js';

export interface SearchRoutesDeps {
  readonly searchIndex: SearchIndex;
  readonly clock: Clock;
  /** IANA zone of times that name none. */
  readonly zone: string;
  readonly rootPath: string;
  /** Where people reach the service; empty: as they asked. */
  readonly publicUrl: string;
}

const json = 'application/json; charset=utf-8';
const feedWindowMs = 7 * 86_400_000;
const feedSize = 100;

const text = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }));

const searchQuery = Type.Object({
  text: text(
    'Words of the description, all of them; `"a phrase"`; `*` and `?` within a word. Also `desc`, `description`.',
    'beam "lost at"',
  ),
  title: text('Words of the title, in the same way.', 'magnet trip'),
  phrase: text('Exactly these words, one after the other, in the description.', 'vacuum leak'),
  query: text('Words anywhere in the entry, its names and values included.', 'quad*'),
  fuzzy: text('Present and not `false`: words with one or two other letters match too.', 'true'),
  owner: text('Owners, any of them; `*` and `?`.', 'user'),
  level: text('Levels, any of them; `*` and `?`.', 'Problem,Urgent'),
  logbooks: text('Logbooks, any of them; `*` and `?`.', 'operations'),
  tags: text('Tags, any of them; `*` and `?`.', 'alarm'),
  properties: text('`name[.attribute[.value]]`, any of them; `*` and `?` in each part.', 'resource.name.SR*'),
  attachments: text(
    'Empty: any file; `image`, `video`, `audio`, `text`, `pdf`; else a file name with `*` and `?`.',
    'image',
  ),
  start: text('Created, or with an event, at that time or later.', '2026-03-01 06:00'),
  end: text('Created, or with an event, at that time or earlier.', 'now'),
  includeevents: text('`false`: `start` and `end` look at the creation alone.', 'false'),
  tz: text('IANA zone of `start` and `end`.', 'Europe/Berlin'),
  size: text('Entries on a page; default 100, at most 1000. Also `limit`.', '20'),
  page: text('Which page, from 1.', '1'),
  from: text('How many entries to skip; wins over `page`.', '0'),
  sort: text('`up`: oldest first; `down` (default): newest first.', 'down'),
});

/** The three forms of the search: list, result object, feed. */
export async function searchRoutes(app: FastifyInstance, deps: SearchRoutesDeps): Promise<void> {
  const tags = ['Search'];
  const errors = errorResponses(400, 401, 429, 500, 503);
  // One parser reads the parameters: names in any case, values of its own grammar.
  const validatorCompiler = () => () => true;

  const search = (request: FastifyRequest, defaults: { size?: number; maxSize?: number } = {}) =>
    deps.searchIndex.search(
      parseQuery(request.query as SearchParams, { nowMs: deps.clock.nowMs(), zone: deps.zone, ...defaults }),
    );

  app.get(
    '/logs',
    {
      validatorCompiler,
      schema: {
        tags,
        operationId: 'listEntries',
        summary: 'Search, as a list',
        description: 'The matching entries of one page. All parameters are and-ed; unknown ones are ignored.',
        querystring: searchQuery,
        response: { 200: Type.Array(Type.Ref('Entry'), { description: 'The entries of the page.' }), ...errors },
      },
    },
    async (request, reply) => {
      const { entriesJson } = await search(request);
      return reply.type(json).send(Buffer.from(entriesJson.buffer, entriesJson.byteOffset, entriesJson.byteLength));
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
        querystring: searchQuery,
        response: { 200: { ...Type.Ref('SearchResult'), description: 'The page.' }, ...errors },
      },
    },
    async (request, reply) => {
      const { hitCount, entriesJson } = await search(request);
      const body = Buffer.concat([Buffer.from(`{"hitCount":${hitCount},"logs":`), entriesJson, Buffer.from('}')]);
      return reply.type(json).send(body);
    },
  );

  app.get(
    '/logs/rss',
    {
      validatorCompiler,
      schema: {
        tags,
        operationId: 'feedEntries',
        summary: 'Search, as an RSS feed',
        description: 'RSS 2.0 with the same parameters; newest first, by default the last 7 days, at most 100 entries.',
        querystring: searchQuery,
        response: {
          200: { description: 'The feed.', content: { 'application/rss+xml': { schema: Type.String() } } },
          ...errors,
        },
      },
    },
    async (request, reply) => {
      const query = parseQuery(request.query as SearchParams, {
        nowMs: deps.clock.nowMs(),
        zone: deps.zone,
        size: feedSize,
        maxSize: feedSize,
      });
      const window = query.window ?? { startMs: deps.clock.nowMs() - feedWindowMs, includeEvents: true };
      const base = `${deps.publicUrl || `${request.protocol}://${request.host}`}${deps.rootPath}`;
      if (!URL.canParse(base)) {
        throw new Fault(
          'invalid',
          'request.bad-host',
          'The Host header is not the name of a host, and links need one.',
        );
      }
      const { entriesJson } = await deps.searchIndex.search({ ...query, window, sort: 'newest' });
      const entries = JSON.parse(new TextDecoder().decode(entriesJson)) as EntryView[];
      return reply.type('application/rss+xml; charset=utf-8').send(await renderRss(entries, base));
    },
  );
}
