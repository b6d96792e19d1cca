import { randomBytes } from 'node:crypto';
import type {} from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Authenticator } from '../../auth/authenticator.js';
import type { BrowserSignIn } from '../../auth/browser-sign-in.port.js';
import { PendingOidcSignIns } from '../../auth/pending-oidc-sign-ins.js';
import { parseReturnPath } from '../../auth/return-path.js';
import { errorResponses } from '../../http/common.schema.js';
import { type PublicAddress, publicBaseUrl } from '../../http/request/public-url.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault } from '../../kernel/fault.js';
import { type SameSite, setSessionCookie } from '../access/session-cookie.js';

export interface OidcRoutesDeps extends PublicAddress {
  readonly authenticator: Authenticator;
  readonly browserSignIn: BrowserSignIn;
  readonly clock: Clock;
  readonly sameSite: SameSite;
}

const browserCookie = 'SIGN-IN';
const pendingMs = 600_000;
const maxPending = 10_000;

/** The addresses are opened by browsers: a 401 must not make them ask for a password of their own. */
const config = { access: 'open', redactQuery: true, challenge: 'OpenIDConnect realm="logbook"' } as const;

const BeginQuery = Type.Object({
  returnTo: Type.Optional(
    Type.String({
      maxLength: 2_048,
      description: 'Path on this site where the browser goes after its sign-in. Default `/`.',
    }),
  ),
});

const CallbackQuery = Type.Object({
  code: Type.Optional(Type.String({ description: 'Set by the provider when it let somebody in.' })),
  state: Type.Optional(Type.String({ description: 'Names the sign-in that this belongs to.' })),
  iss: Type.Optional(Type.String({ description: 'The provider.' })),
  error: Type.Optional(Type.String({ description: 'Set by the provider when it did not.' })),
  error_description: Type.Optional(Type.String({ description: 'Why.' })),
});

/** Sign-in at an identity provider, for browsers. */
export async function oidcRoutes(app: FastifyInstance, deps: OidcRoutesDeps): Promise<void> {
  const { authenticator, browserSignIn } = deps;
  const pendingSignIns = new PendingOidcSignIns(deps.clock, pendingMs, maxPending);
  const tags = ['Sign-in'];
  const path = '/login/oidc';

  app.get<{ Querystring: Static<typeof BeginQuery> }>(
    path,
    {
      config,
      exposeHeadRoute: false,
      schema: {
        tags,
        operationId: 'beginOidcLogin',
        summary: 'Sign in with OpenID Connect',
        description: 'For browsers: goes to the identity provider, and comes back signed in.',
        querystring: BeginQuery,
        response: {
          302: Type.Null({ description: 'To the identity provider.' }),
          ...errorResponses(400, 500, 503),
        },
      },
    },
    async (request, reply) => {
      const returnPath = parseReturnPath(request.query.returnTo ?? '/');
      const { address, pending } = await browserSignIn.begin(`${publicBaseUrl(request, deps)}${path}/callback`);
      const browserKey = browserKeyOf(request) ?? randomBytes(32).toString('base64url');
      pendingSignIns.add(browserKey, { signIn: pending, returnPath, from: request.ip });
      reply.setCookie(browserCookie, browserKey, {
        path: `${deps.rootPath}${path}`,
        httpOnly: true,
        secure: request.protocol === 'https',
        // The browser comes back from another site.
        sameSite: 'lax',
        maxAge: pendingMs / 1_000,
      });
      return reply.header('cache-control', 'no-store').redirect(address, 302);
    },
  );

  app.get(
    `${path}/callback`,
    {
      config,
      exposeHeadRoute: false,
      schema: {
        tags,
        operationId: 'finishOidcLogin',
        summary: 'Come back from the identity provider',
        description: 'Where the provider sends the browser. Opens a session and sets its `SESSION` cookie.',
        querystring: CallbackQuery,
        response: {
          303: Type.Null({ description: 'To the path that the sign-in was begun with.' }),
          ...errorResponses(400, 401, 500, 503, 507),
        },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const answer = new URLSearchParams(request.url.replace(/^[^?]*/, ''));
      const begun = pendingSignIns.take(browserKeyOf(request) ?? '', answer.get('state') ?? '');
      if (!begun) throw notBegun();
      const identity = await browserSignIn.finish(answer, begun.signIn).catch((error: unknown) => {
        if (error instanceof Fault) authenticator.auditRefusal('oidc', request.ip, error.code);
        throw error;
      });
      const { secret } = await authenticator.signInWithIdentity(identity, 'oidc', request.ip);
      await setSessionCookie(request, reply, { authenticator, token: secret, sameSite: deps.sameSite });
      // The cookie of the browser stays until it expires: another of its windows may be at the provider.
      return reply.redirect(begun.returnPath, 303);
    },
  );
}

/** What ties a sign-in to the browser that began it. */
function browserKeyOf(request: FastifyRequest): string | undefined {
  const key = request.cookies[browserCookie];
  return key !== undefined && /^[\w-]{43}$/.test(key) ? key : undefined;
}

function notBegun(): Fault {
  return new Fault(
    'unauthenticated',
    'auth.oidc-refused',
    'This browser has not begun this sign-in, or more than 10 minutes ago, or has finished it already. Sign in again.',
  );
}
