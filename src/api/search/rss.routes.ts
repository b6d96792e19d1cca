import { createHash, subtle } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ChangeFeedReader } from '../../entries/change-feed.port.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { errorResponses } from '../../http/common.schema.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { type PublicAddress, publicBaseUrl } from '../../http/request/public-url.js';
import { Fault } from '../../kernel/fault.js';
import { productVersion } from '../../kernel/product.js';
import type { FeedAddresses } from '../../search/rss.js';
import type { RssRenderer } from '../../search/rss-renderer.js';
import type { PageEntries } from '../../search/search-index.port.js';
import { pageChunks } from '../../search/stream-page.js';
import { queryOf, type SearchRoutesDeps, searchParser } from './search.routes.js';
import { SearchParameters } from './search.schema.js';

export interface RssRoutesDeps extends SearchRoutesDeps, PublicAddress {
  readonly changes: ChangeFeedReader;
  readonly feeds: RssRenderer;
}

const feedWindowMs = 7 * 86_400_000;
const feedSize = 100;
const maxFeedBytes = 16_777_216;

/** The search as a feed, which readers fetch again and again. */
export async function rssRoutes(app: FastifyInstance, deps: RssRoutesDeps): Promise<void> {
  app.get(
    '/logs/rss',
    {
      validatorCompiler: searchParser,
      schema: {
        tags: ['Search'],
        operationId: 'feedEntries',
        summary: 'Search, as an RSS feed',
        description:
          'RSS 2.0 with the same parameters; newest first, by default the last 7 days, at most 100 entries. Send its `ETag` back as `If-None-Match`: while nothing has changed, the answer is 304.',
        querystring: SearchParameters,
        response: {
          200: { description: 'The feed.', content: { 'application/rss+xml': { schema: Type.String() } } },
          304: { description: 'Nothing has changed.' },
          ...errorResponses(400, 401, 429, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const query = queryOf(request, deps, { size: feedSize, maxSize: feedSize });
      const window = query.window ?? { startMs: deps.clock.nowMs() - feedWindowMs, includeEvents: true };
      const addresses = addressesOf(request, deps);
      // Before the search: a change in between makes the feed newer than its date, and never older.
      let changed = await findLastChange(deps);
      const signal = clientDisconnected(reply);
      const page = await deps.searchIndex.search({ ...query, window, sort: 'newest' }, { signal });
      const entriesJson = await joined(page.entries, deps.entries);
      const etag = await etagOf(entriesJson, addresses);
      // Where readers differ, what one of them gets is for nobody else, and a date alone says too little.
      if (deps.permissions.hasReadRestrictions) {
        reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie, Origin' });
        changed = undefined;
      } else reply.headers({ etag, 'cache-control': 'no-cache' });
      if (changed) reply.header('last-modified', new Date(changed.atSeconds * 1_000).toUTCString());
      if (isKnown(request, etag, changed)) return reply.code(304).send();
      const feed = await deps.feeds.render(entriesJson, addresses);
      return reply.type('application/rss+xml; charset=utf-8').send(feed);
    },
  );
}

/** @throws Fault invalid `search.feed-too-large` */
async function joined(entries: PageEntries, reader: EntryReader): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pageChunks(entries, reader)) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > maxFeedBytes) {
      throw new Fault(
        'invalid',
        'search.feed-too-large',
        `The entries of this feed are longer than ${maxFeedBytes / 1_048_576} MB together. Ask for fewer with size.`,
      );
    }
  }
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
}

function addressesOf(request: FastifyRequest, address: PublicAddress): FeedAddresses {
  const base = publicBaseUrl(request, address);
  const self = new URL(`${base}/logs/rss`);
  const question = request.url.indexOf('?');
  // Lists are separated by bars, which a URL has only escaped.
  if (question >= 0) self.search = request.url.slice(question).replace(/[\\^`{|}]/g, encodeURIComponent);
  return { base, self: self.href };
}

async function etagOf(entriesJson: Uint8Array, { base, self }: FeedAddresses): Promise<string> {
  // Of many long entries it takes its time, but not ours.
  const entries = await subtle.digest('SHA-256', entriesJson as Uint8Array<ArrayBuffer>);
  const hash = createHash('sha256')
    .update(JSON.stringify([productVersion, base, self]))
    .update(Buffer.from(entries));
  return `"${hash.digest('base64url')}"`;
}

interface LastChange {
  readonly atSeconds: number;
  /** False while more could follow in that second: a date alone then does not tell what its sender has seen. */
  readonly isSettled: boolean;
}

const settledAfterMs = 2_000;

/** The last change of any entry, one that an edit took out of the feed included. */
async function findLastChange({ changes, clock }: RssRoutesDeps): Promise<LastChange | undefined> {
  const sequence = await changes.newest();
  const [change] = await changes.listAfter(sequence - 1, 1);
  if (!change) return undefined;
  const isSettled = clock.nowMs() - change.atMs >= settledAfterMs;
  return { atSeconds: Math.floor(change.atMs / 1_000) - (isSettled ? 0 : 1), isSettled };
}

/** By the entity tag; by the date only for those who send no tag. */
function isKnown({ headers }: FastifyRequest, etag: string, changed: LastChange | undefined): boolean {
  if (headers['if-none-match'] !== undefined) return matchesEntityTag(headers['if-none-match'], etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return changed?.isSettled === true && changed.atSeconds * 1_000 <= since;
}
