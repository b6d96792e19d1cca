import { createHash, type Hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ChangeFeedReader } from '../../entries/change-feed.port.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { type PublicAddress, publicOrigin } from '../../http/request/public-url.js';
import { nextSharedTurn } from '../../kernel/fair-turns.js';
import { inBytes, limitFault } from '../../kernel/limit.js';
import { productVersion } from '../../kernel/product.js';
import type { FeedAddresses } from '../../search/rss.js';
import type { RssRenderer } from '../../search/rss-renderer.js';
import type { PageEntries } from '../../search/search-index.port.js';
import { pageChunks } from '../../search/stream-page.js';
import { noteSearch } from './note-search.js';
import { acceptAnyQuery, type SearchRoutesDeps, toQuery } from './search.routes.js';
import { feedEntriesSchema } from './search.schema.js';

export interface RssRoutesDeps extends SearchRoutesDeps, PublicAddress {
  readonly changes: ChangeFeedReader;
  readonly feeds: RssRenderer;
}

/** Time window of a feed whose address has none. */
const feedWindowMs = 7 * 86_400_000;
/** Maximum number of entries in a feed. `maxFeedBytes` is the maximum of their total size. */
const feedSize = 100;
const maxFeedBytes = 16_777_216;

/** Registers the route that returns the result of a search as an RSS feed, which feed readers poll. */
export async function rssRoutes(app: FastifyInstance, deps: RssRoutesDeps): Promise<void> {
  const shared = { validatorCompiler: acceptAnyQuery, config: { cost: 'search' } } as const;
  app.get('/logs/rss', { ...shared, schema: feedEntriesSchema }, feedEntries(deps));
}

const feedEntries = (deps: RssRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const query = toQuery(request, deps, { size: feedSize, maxSize: feedSize });
  const window = query.window ?? { startMs: deps.clock.nowMs() - feedWindowMs, includeEvents: true };
  const addresses = toAddresses(request, deps);
  // The date is read before the search, so that a concurrent change makes the feed newer than its date, never older.
  let changed = await findLastChange(deps);
  const signal = clientDisconnected(reply);
  const searched = { ...query, window, sort: 'newest' } as const;
  const page = await noteSearch(request, searched, () => deps.searchIndex.search(searched, { signal }));
  const hash = createHash('sha256').update(JSON.stringify([productVersion, addresses.base, addresses.self]));
  const entriesJson = await readJson(page.entries, deps.entries, hash);
  const etag = `"${hash.digest('base64url')}"`;
  // With read restrictions, users must not share a feed, and a date does not identify its content.
  if (deps.permissions.hasReadRestrictions) {
    reply.headers({ etag, 'cache-control': 'private, no-cache' });
    changed = undefined;
  } else reply.headers({ etag, 'cache-control': 'no-cache' });
  if (changed) reply.header('last-modified', new Date(changed.atSeconds * 1_000).toUTCString());
  if (isUnchanged(request, etag, changed)) return reply.code(304).send();
  const feed = await deps.feeds.render(entriesJson, addresses);
  return reply
    .type('application/rss+xml; charset=utf-8')
    .send(Buffer.from(feed.buffer, feed.byteOffset, feed.byteLength));
};

/**
 * Reads the entries of a page as one JSON array, and adds it to the hash. Yields to the event loop after each chunk.
 * @throws Fault invalid `search.feed-too-large`
 */
async function readJson(entries: PageEntries, reader: EntryReader, hash: Hash): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of pageChunks(entries, reader)) {
    chunks.push(chunk);
    hash.update(chunk);
    bytes += chunk.byteLength;
    if (bytes > maxFeedBytes) {
      throw limitFault('invalid', 'search.feed-too-large', {
        refused: 'The entries of this feed together are too large.',
        limit: { amount: inBytes(maxFeedBytes), setting: undefined, countedFor: 'each feed, regardless of the client' },
        advice: 'Request fewer with “size”.',
      });
    }
    await nextSharedTurn();
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

function toAddresses(request: FastifyRequest, address: PublicAddress): FeedAddresses {
  const base = `${publicOrigin(request, address)}${request.rootPath}`;
  const self = new URL(`${base}/logs/rss`);
  const queryStart = request.url.indexOf('?');
  // Clients may send characters such as `|` unescaped, but a URL must not contain them.
  if (queryStart >= 0) self.search = request.url.slice(queryStart).replace(/[\\^`{|}]/g, encodeURIComponent);
  return { site: publicOrigin(request, address), base, self: self.href };
}

interface LastChange {
  readonly atSeconds: number;
  /** False while further changes could still get the same date, whose resolution is one second. */
  readonly isSettled: boolean;
}

const settledAfterMs = 2_000;

/** Finds the last change of any entry, because an edit can also remove an entry from the feed. */
async function findLastChange({ changes, clock }: RssRoutesDeps): Promise<LastChange | undefined> {
  // Held-back changes are not listed yet, so the date of the newest change is unknown.
  if ((await changes.heldBackSinceMs()) !== undefined) return undefined;
  const sequence = await changes.newest();
  const [change] = await changes.listAfter(sequence - 1, 1);
  if (!change || change.kind === 'damaged') return undefined;
  const isSettled = clock.nowMs() - change.atMs >= settledAfterMs;
  return { atSeconds: Math.floor(change.atMs / 1_000) - (isSettled ? 0 : 1), isSettled };
}

/** Compares the entity tag, or the date if the client sends no tag. */
function isUnchanged({ headers }: FastifyRequest, etag: string, changed: LastChange | undefined): boolean {
  if (headers['if-none-match'] !== undefined) return matchesEntityTag(headers['if-none-match'], etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return changed?.isSettled === true && changed.atSeconds * 1_000 <= since;
}
