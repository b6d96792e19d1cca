import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator, RequestCredentials } from '../../auth/authenticator.js';
import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import type { Connection, WebSockets } from '../../http/connections/web-sockets.js';
import { loggableUrl } from '../../http/request/request-log.js';
import type { LiveFeed } from '../../notifications/live/live-feed.js';
import { watchSession } from '../../notifications/live/session-watch.js';
import { type LogbookStompSession, openStompSession } from '../../notifications/stomp/open-stomp-session.js';

export interface WebSocketRoutesDeps {
  readonly feed: LiveFeed;
  readonly webSockets: WebSockets;
  readonly authenticator: Authenticator;
  readonly requestCredentials: (request: FastifyRequest) => RequestCredentials;
  readonly permissions: Permissions;
  readonly requireSignInForReads: boolean;
  readonly mayTakePassword: (request: FastifyRequest) => boolean;
}

const tickMs = 2_000;

/**
 * Registers the route of STOMP over WebSockets. The route is open, because clients sign in either with the request or
 * with a later CONNECT.
 */
export async function webSocketRoutes(app: FastifyInstance, deps: WebSocketRoutesDeps): Promise<void> {
  const { authenticator, permissions, webSockets } = deps;
  const sessions = new Set<LogbookStompSession>();
  const ticks = setInterval(() => {
    for (const session of sessions) session.tick(tickMs);
  }, tickMs).unref();
  app.addHook('preClose', async () => {
    clearInterval(ticks);
    await webSockets.close();
  });
  const principalMatters = deps.requireSignInForReads || permissions.hasReadRestrictions;
  app.get(
    '/web-socket',
    { exposeHeadRoute: false, config: { access: 'open', crossOrigin: 'refused' }, schema: { hide: true } },
    async (request, reply) => {
      const credentials = deps.requestCredentials(request);
      const principal = principalMatters ? await authenticator.identify(credentials) : undefined;
      webSockets.accept(request, reply, (connection) => {
        const watch = new AccountWatch(authenticator, () =>
          session.refuse('The session or token has expired, or the account has changed. Sign in again.'),
        );
        const session = openSession(request, connection, { ...deps, principal, watch });
        sessions.add(session);
        request.log.info(
          { url: loggableUrl(request), remoteAddress: request.ip, user: principal?.userName },
          'WebSocket connection opened',
        );
        if (principal) watch.start(principal, credentials);
        connect(request, connection, session, () => {
          watch.end();
          sessions.delete(session);
        });
      });
    },
  );
}

/** Watches the account of a connection from the sign-in until the connection closes. */
class AccountWatch {
  private stop: (() => void) | undefined;
  private isEnded = false;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly onExpired: () => void,
  ) {}

  /** @param credentials undefined when the user signed in with CONNECT */
  start(principal: Principal, credentials?: RequestCredentials): void {
    // The connection may have closed during the sign-in.
    if (!this.isEnded) this.stop = watchSession(this.authenticator, credentials, principal, this.onExpired);
  }

  end(): void {
    this.isEnded = true;
    this.stop?.();
  }
}

interface OpenSessionDeps extends WebSocketRoutesDeps {
  /** The user that the opening request authenticated. */
  readonly principal: Principal | undefined;
  readonly watch: AccountWatch;
}

function openSession(
  request: FastifyRequest,
  wire: Connection,
  { authenticator, feed, mayTakePassword, permissions, principal, requireSignInForReads, watch }: OpenSessionDeps,
): LogbookStompSession {
  return openStompSession({
    wire,
    permissions,
    principal,
    signInRequired: requireSignInForReads,
    principalMatters: requireSignInForReads || permissions.hasReadRestrictions,
    mayTakePassword: mayTakePassword(request),
    signIn: async (credentials) => {
      const signedIn = await authenticator.identifyByPassword(credentials, request.ip);
      watch.start(signedIn);
      return signedIn;
    },
    subscribe: (listener) => feed.subscribe(listener),
    nowMs: () => performance.now(),
  });
}

/** Passes messages that arrive on the connection to the session. */
function connect(
  request: FastifyRequest,
  connection: Connection,
  session: LogbookStompSession,
  onClosed: () => void,
): void {
  connection.on({
    message: (bytes) => {
      session
        .receive(bytes)
        .catch((error: unknown) => request.log.error({ err: error }, 'handling a STOMP frame failed'));
    },
    control: () => session.onControlFrame(),
    closed: () => {
      session.onClosed();
      onClosed();
    },
  });
}
