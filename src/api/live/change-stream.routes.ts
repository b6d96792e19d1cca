import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator, RequestCredentials } from '../../auth/authenticator.js';
import type { Permissions } from '../../auth/permissions.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { drained } from '../../http/reply/drained.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { ChangeStream, type ChangeStreamDeps } from '../../notifications/live/change-stream.js';
import { FeedCursorCodec } from '../../notifications/live/feed-cursor-codec.js';
import type { LiveFeed } from '../../notifications/live/live-feed.js';
import type { OpenStreams } from '../../notifications/live/open-streams.js';
import { watchSession } from '../../notifications/live/session-watch.js';
import { SharedMatches } from '../../notifications/live/shared-matches.js';
import type { NotificationStorage } from '../../notifications/notification-storage.js';
import { parseQuery } from '../../search/parse-query.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import { lastValue, listValues, type SearchParams } from '../../search/search-params.js';
import { streamChangesSchema } from './change-stream.schema.js';

export interface ChangeStreamRoutesDeps {
  readonly feed: LiveFeed;
  readonly streams: OpenStreams;
  readonly storage: NotificationStorage;
  readonly searchIndex: SearchIndex;
  readonly authenticator: Authenticator;
  readonly requestCredentials: (request: FastifyRequest) => RequestCredentials;
  readonly permissions: Permissions;
  readonly clock: Clock;
  /** IANA time zone of times without a zone. */
  readonly zone: string;
}

/** Registers the route of Server-Sent Events. The filter of a stream is checked before the stream begins. */
export async function changeStreamRoutes(app: FastifyInstance, deps: ChangeStreamRoutesDeps): Promise<void> {
  const { streams } = deps;
  const searches = new SharedMatches(deps.searchIndex, streams.stopping.signal);
  app.addHook('preClose', async () => streams.stopping.abort());
  app.get(
    '/changes',
    {
      exposeHeadRoute: false,
      // A stream lasts as long as its client listens; `OpenStreams` limits the number of streams.
      config: { cost: 'none' },
      // `parseQuery` validates the parameters, as for a search.
      validatorCompiler: () => () => true,
      schema: streamChangesSchema,
    },
    async (request, reply) => {
      const changes = deps.storage.committed.feed;
      const isRestricted = deps.permissions.hiddenLogbooksFor(request.context.principal).length > 0;
      const positions = new FeedCursorCodec(await changes.secret(), isRestricted);
      const position = findPosition(request, await changes.newest(), positions);
      const matching = await toFilter(request, deps, searches);
      const signal = openStream(request, reply, deps);
      const stream = new ChangeStream(
        {
          feed: deps.feed,
          changes,
          entries: deps.storage.committed.entries,
          reader: { permissions: deps.permissions, principal: request.context.principal },
          positions,
          matching,
          drained: () => drained(reply.raw, signal),
          unsentBytes: streams.unsentBytes,
          terminate: () => reply.raw.destroy(),
          signal,
        },
        position,
      );
      return reply
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .header('connection', 'close')
        .type('text/event-stream; charset=utf-8')
        .send(Readable.from(stream.chunks(), { objectMode: false, highWaterMark: 1 }));
    },
  );
}

/**
 * Counts the stream until its connection closes. The returned signal ends the stream when the client disconnects, its
 * session expires, or the service stops.
 * @throws Fault unavailable `live.too-many-clients`; busy `live.too-many-from-address`
 */
function openStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticator, requestCredentials, streams }: ChangeStreamRoutesDeps,
): AbortSignal {
  const disconnected = clientDisconnected(reply);
  const expired = new AbortController();
  const signal = AbortSignal.any([disconnected, expired.signal, streams.stopping.signal]);
  if (disconnected.aborted) return signal;
  const remove = streams.add(request.ip);
  const unwatch = request.context.principal
    ? watchSession(authenticator, requestCredentials(request), request.context.principal, () => expired.abort())
    : () => undefined;
  reply.raw.once('close', () => {
    remove();
    unwatch();
  });
  // Ends the connection even if the client reads nothing.
  const terminate = () => {
    if (reply.raw.writableNeedDrain) reply.raw.destroy();
  };
  signal.addEventListener('abort', terminate, { once: true });
  return signal;
}

/**
 * Returns the filter of a stream; undefined when the request has no search parameters.
 * @throws Fault invalid `search.…`
 */
async function toFilter(
  request: FastifyRequest,
  { clock, zone, permissions }: ChangeStreamRoutesDeps,
  searches: SharedMatches,
): Promise<ChangeStreamDeps['matching']> {
  const params = request.query as SearchParams;
  const query = parseQuery(params, {
    nowMs: clock.nowMs(),
    zone,
    hiddenLogbooks: permissions.hiddenLogbooksFor(request.context.principal),
  });
  if (!Object.keys(params).some((key) => key.trim().toLowerCase() !== 'lasteventid')) return undefined;
  const matching = (ids: readonly number[], sequence: number) => searches.matching(query, ids, sequence);
  try {
    // Some mistakes in a query are found only by a search, and the stream cannot report them later.
    await matching([1], 0);
  } catch (error) {
    if (error instanceof Fault && error.kind === 'invalid') throw error;
  }
  return matching;
}

/** @throws Fault invalid `changes.bad-position`, `changes.unknown-position` */
function findPosition(request: FastifyRequest, newest: number, positions: FeedCursorCodec): number {
  const parameter = lastValue(listValues(request.query as SearchParams, 'lasteventid'));
  const text = String(request.headers['last-event-id'] ?? parameter ?? '').trim();
  if (text === '') return newest;
  const position = positions.decode(text);
  if (position === undefined) {
    throw new Fault(
      'invalid',
      'changes.bad-position',
      `${quoted(text)} is not a position in the feed. Send the id of the last event, 0 for all changes, or nothing for new ones.`,
    );
  }
  if (position > newest) {
    throw new Fault(
      'invalid',
      'changes.unknown-position',
      `The position ${quoted(text)} is after the newest change. It comes from another logbook, or from this one before a backup was restored. Send 0 for all changes, or nothing for new ones.`,
    );
  }
  return position;
}
