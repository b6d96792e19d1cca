import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Authenticator, RequestCredentials } from '../../auth/authenticator.js';
import type { Permissions } from '../../auth/permissions.js';
import { errorResponses } from '../../http/common.schema.js';
import type { ConnectionsPerAddress } from '../../http/connections/connections-per-address.js';
import type { WebSockets } from '../../http/connections/web-sockets.js';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { drained } from '../../http/reply/drained.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { ChangeStream } from '../../notifications/live/change-stream.js';
import type { LiveFeed } from '../../notifications/live/live-feed.js';
import { watchSession } from '../../notifications/live/session-watch.js';
import { SharedMatches } from '../../notifications/live/shared-matches.js';
import { UnsentBytes } from '../../notifications/live/unsent-bytes.js';
import type { NotificationStorage } from '../../notifications/notification-storage.js';
import { StompSession } from '../../notifications/stomp/session.js';
import { parseQuery } from '../../search/parse-query.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { SearchParams } from '../../search/search-params.js';
import { filterParameters } from '../search/search.schema.js';

export interface LiveRoutesDeps {
  readonly feed: LiveFeed;
  readonly webSockets: WebSockets;
  readonly streams: OpenStreams;
  readonly storage: NotificationStorage;
  readonly searchIndex: SearchIndex;
  readonly authenticator: Authenticator;
  readonly requestCredentials: (request: FastifyRequest) => RequestCredentials;
  readonly permissions: Permissions;
  readonly requireSignInForReads: boolean;
  readonly mayTakePassword: (request: FastifyRequest) => boolean;
  readonly clock: Clock;
  /** IANA zone of times that name none. */
  readonly zone: string;
}

const maxHeldBytes = 33_554_432;

/** The streams of changes that are open. */
export class OpenStreams {
  count = 0;
  readonly stopping = new AbortController();
  readonly backlog = new UnsentBytes(maxHeldBytes);

  constructor(
    private readonly max: number,
    private readonly byAddress: ConnectionsPerAddress,
  ) {}

  /**
   * Returns what to call when the stream has gone.
   * @throws Fault unavailable `live.too-many-clients`; busy `live.too-many-from-address`
   */
  add(address: string): () => void {
    if (this.count >= this.max) {
      throw new Fault(
        'unavailable',
        'live.too-many-clients',
        'As many clients follow the logbook as may at once. Try again later; the administrator can allow more.',
      );
    }
    const leave = this.byAddress.add(address);
    this.count += 1;
    return () => {
      this.count -= 1;
      leave();
    };
  }
}

const tickMs = 2_000;

/** What tells clients of changes as they happen. */
export async function liveRoutes(app: FastifyInstance, deps: LiveRoutesDeps): Promise<void> {
  const { feed, webSockets, streams } = deps;
  const sessions = new Set<StompSession>();
  const ticks = setInterval(() => {
    for (const session of sessions) session.tick(tickMs);
  }, tickMs).unref();
  app.addHook('preClose', async () => {
    clearInterval(ticks);
    streams.stopping.abort();
    await webSockets.close();
  });
  followByWebSocket(app, deps, sessions);
  followByEvents(app, deps);
  app.addHook('onClose', () => feed.stop());
}

/** STOMP. Who follows is told by the request or by CONNECT, which comes after it: the route itself is open. */
function followByWebSocket(app: FastifyInstance, deps: LiveRoutesDeps, sessions: Set<StompSession>): void {
  const { authenticator, permissions, requireSignInForReads: signInNeeded } = deps;
  const principalMatters = signInNeeded || permissions.hasReadRestrictions;
  const identify = (evidence: RequestCredentials) => authenticator.identifyWithoutRenewal(evidence);

  app.get(
    '/web-socket',
    { exposeHeadRoute: false, config: { access: 'open', crossOrigin: 'refused' }, schema: { hide: true } },
    async (request, reply) => {
      const evidence = deps.requestCredentials(request);
      const principal = principalMatters ? await authenticator.identify(evidence) : undefined;
      deps.webSockets.accept(request, reply, (connection) => {
        const session = new StompSession({
          wire: connection,
          permissions,
          principal,
          signInNeeded,
          principalMatters,
          mayTakePassword: deps.mayTakePassword(request),
          signIn: (credentials) => authenticator.identifyByPassword(credentials, request.ip),
          follow: (announce) => deps.feed.subscribe(announce),
          nowMs: () => performance.now(),
        });
        sessions.add(session);
        const unwatch = principal
          ? watchSession(identify, evidence, principal, () => session.signedOut())
          : () => undefined;
        request.log.info(
          { url: request.url.slice(0, 2_048), from: request.ip, user: principal?.userName },
          'web socket',
        );
        connection.on({
          message: (bytes) => {
            session.receive(bytes).catch((error: unknown) => request.log.error({ err: error }, 'a live client failed'));
          },
          control: () => session.noteControl(),
          closed: () => {
            session.closed();
            unwatch();
            sessions.delete(session);
          },
        });
      });
    },
  );
}

const changesSchema = {
  tags: ['Live'],
  operationId: 'followChanges',
  summary: 'Follow the changes, as Server-Sent Events',
  description:
    'A stream without end: an event for each entry that is `created`, `edited` or `annotated` (it joined a group), after it can be read, in the order of the changes, also of those with `notifyWsClients=false`. Its `id` is the position in the feed: with it in `Last-Event-ID`, a client goes on where it was, after any time. The data are `{sequence, kind, entryId, version, date, entry}`, `entry` as it stands when it is sent. With keys of the search, only changes of entries that match.',
  querystring: Type.Object({
    lastEventId: Type.Optional(
      Type.String({
        description: 'Position after which to begin, where there is no header; 0: the first. Default: now.',
        examples: ['0'],
      }),
    ),
    ...filterParameters,
  }),
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({ description: 'Position after which to begin; sent by browsers when they come back.' }),
    ),
  }),
  response: {
    200: {
      description: 'The events; a comment every 15 s when there are none.',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    ...errorResponses(400, 401, 429, 500, 503),
  },
};

function followByEvents(app: FastifyInstance, deps: LiveRoutesDeps): void {
  const { feed, storage, searchIndex, permissions, streams } = deps;
  const changes = storage.committed.feed;
  const searches = new SharedMatches(searchIndex, streams.stopping.signal);
  const identify = (evidence: RequestCredentials) => deps.authenticator.identifyWithoutRenewal(evidence);
  // As with the search: one parser reads the parameters.
  const validatorCompiler = () => () => true;

  app.get(
    '/changes',
    {
      exposeHeadRoute: false,
      validatorCompiler,
      schema: changesSchema,
    },
    async (request, reply) => {
      const position = await positionOf(request, await changes.newest());
      const matching = await filterOf(request, deps);
      const gone = clientDisconnected(reply);
      const ended = new AbortController();
      const signal = AbortSignal.any([gone, ended.signal, streams.stopping.signal]);
      if (!gone.aborted) {
        const remove = streams.add(request.ip);
        const unwatch = request.principal
          ? watchSession(identify, deps.requestCredentials(request), request.principal, () => ended.abort())
          : () => undefined;
        reply.raw.once('close', () => {
          remove();
          unwatch();
        });
        // Nothing waits for a client that does not read.
        const release = () => {
          if (reply.raw.writableNeedDrain) reply.raw.destroy();
        };
        signal.addEventListener('abort', release, { once: true });
      }
      const reader = { permissions, principal: request.principal };
      const stream = new ChangeStream(
        {
          feed,
          changes,
          reader,
          matching,
          taken: () => drained(reply.raw, signal),
          backlog: streams.backlog,
          cut: () => reply.raw.destroy(),
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

  /** Undefined where nothing is asked for. */
  async function filterOf(request: FastifyRequest, { clock, zone }: LiveRoutesDeps) {
    const params = request.query as SearchParams;
    const query = parseQuery(params, {
      nowMs: clock.nowMs(),
      zone,
      hiddenLogbooks: permissions.hiddenLogbooksFor(request.principal),
    });
    if (!Object.keys(params).some((key) => key.trim().toLowerCase() !== 'lasteventid')) return undefined;
    const matching = (ids: readonly number[], sequence: number) => searches.matching(query, ids, sequence);
    try {
      // What no search can answer is told before the stream begins.
      await matching([1], 0);
    } catch (error) {
      if (error instanceof Fault && error.kind === 'invalid') throw error;
    }
    return matching;
  }
}

/** @throws Fault invalid `changes.bad-position`, `changes.unknown-position` */
async function positionOf(request: FastifyRequest, newest: number): Promise<number> {
  const asked = Object.entries(request.query as SearchParams)
    .filter(([name]) => name.trim().toLowerCase() === 'lasteventid')
    .flatMap(([, value]) => value ?? [])
    .at(-1);
  const text = String(request.headers['last-event-id'] ?? asked ?? '').trim();
  if (text === '') return newest;
  if (!/^\d{1,15}$/.test(text)) {
    throw new Fault(
      'invalid',
      'changes.bad-position',
      `${quoted(text)} is no position in the feed. Send the id of the last event, 0 for all, or nothing for what is new.`,
    );
  }
  const position = Number(text);
  if (position > newest) {
    throw new Fault(
      'invalid',
      'changes.unknown-position',
      `There is no change ${position}; the newest is ${newest}. The position is of another logbook, or of one before a backup was put back.`,
    );
  }
  return position;
}
