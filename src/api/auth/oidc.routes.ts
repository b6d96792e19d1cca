import { randomBytes } from 'node:crypto';
import type {} from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../../auth/authenticator.js';
import type { BrowserSignIn } from '../../auth/browser-sign-in.port.js';
import { PendingOidcSignIns } from '../../auth/pending-oidc-sign-ins.js';
import { parseReturnPath } from '../../auth/return-path.js';
import type { SignInState } from '../../auth/sign-in-state.port.js';
import { type PublicAddress, publicOrigin } from '../../http/request/public-url.js';
import { Fault } from '../../kernel/fault.js';
import { type SameSite, setSessionCookie } from '../access/session-cookie.js';
import { type BeginQuery, beginOidcLoginSchema, finishOidcLoginSchema } from './oidc.schema.js';
import { clearSignedOutCookie, hasSignedOut, oidcLoginPath as path } from './signed-out-cookie.js';

export interface OidcRoutesDeps extends PublicAddress {
  readonly rootPath: string;
  readonly authenticator: Authenticator;
  readonly browserSignIn: BrowserSignIn;
  readonly sameSite: SameSite;
  readonly signInState: Pick<SignInState, 'pending'>;
}

const browserCookie = 'SIGN-IN';

const options = {
  // Browsers open these URLs, and must not show a password dialogue of their own for a 401.
  config: { access: 'open', redactQuery: true, challenge: 'OpenIDConnect realm="logbook"' },
  exposeHeadRoute: false,
} as const;

/** Registers the routes for sign-in in the browser through an OpenID Connect provider. */
export async function oidcRoutes(app: FastifyInstance, deps: OidcRoutesDeps): Promise<void> {
  const pendingSignIns = new PendingOidcSignIns(deps.signInState.pending);
  app.get(path, { ...options, schema: beginOidcLoginSchema }, beginHandler(deps, pendingSignIns));
  app.get(`${path}/callback`, { ...options, schema: finishOidcLoginSchema }, finishHandler(deps, pendingSignIns));
}

const beginHandler =
  (deps: OidcRoutesDeps, pendingSignIns: PendingOidcSignIns) =>
  async (request: FastifyRequest<{ Querystring: BeginQuery }>, reply: FastifyReply) => {
    // The provider accepts only one callback address, and the cookies are set for its path.
    if (request.rootPath !== deps.rootPath) {
      return reply.redirect(`${deps.rootPath}${path}${request.url.replace(/^[^?]*/, '')}`, 302);
    }
    const returnPath = parseReturnPath(request.query.returnTo ?? '/');
    const callbackUrl = `${publicOrigin(request, deps)}${deps.rootPath}${path}/callback`;
    const { address, pending } = await deps.browserSignIn.begin(
      callbackUrl,
      hasSignedOut(request) ? 'login' : undefined,
    );
    const browserKey = findBrowserKey(request) ?? randomBytes(32).toString('base64url');
    await pendingSignIns.add(browserKey, { signIn: pending, returnPath, from: request.ip });
    reply.setCookie(browserCookie, browserKey, {
      path: `${deps.rootPath}${path}`,
      httpOnly: true,
      secure: request.protocol === 'https',
      // The browser returns from another site, which would not send a strict cookie.
      sameSite: 'lax',
      maxAge: pendingSignIns.lifetimeMs / 1_000,
    });
    return reply.header('cache-control', 'no-store').redirect(address, 302);
  };

const finishHandler =
  (deps: OidcRoutesDeps, pendingSignIns: PendingOidcSignIns) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const { authenticator, browserSignIn, sameSite } = deps;
    reply.header('cache-control', 'no-store');
    const response = new URLSearchParams(request.url.replace(/^[^?]*/, ''));
    const pending = await pendingSignIns.take(findBrowserKey(request) ?? '', response.get('state') ?? '');
    if (!pending) throw notPending();
    const signedIn = await browserSignIn.finish(response, pending.signIn).catch((error: unknown) => {
      if (error instanceof Fault) authenticator.auditRefusal('oidc', request.ip, error.code);
      throw error;
    });
    const { secret } = await authenticator.signInWithIdentity(signedIn, 'oidc', request.ip);
    await setSessionCookie(request, reply, { authenticator, token: secret, sameSite });
    clearSignedOutCookie(request, reply, deps.rootPath);
    // The cookie with the browser key is not removed, because another window of the browser may be at the provider.
    return reply.redirect(pending.returnPath, 303);
  };

/** Returns the key that ties a pending sign-in to the browser that started it; undefined when the cookie is invalid. */
function findBrowserKey(request: FastifyRequest): string | undefined {
  const key = request.cookies[browserCookie];
  return key !== undefined && /^[\w-]{43}$/.test(key) ? key : undefined;
}

function notPending(): Fault {
  return new Fault(
    'unauthenticated',
    'auth.oidc-refused',
    'This sign-in was not started in this browser, was started more than 10 minutes ago, or is already finished. Sign in again.',
  );
}
