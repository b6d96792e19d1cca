import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../../auth/authenticator.js';
import type { BrowserSignIn } from '../../auth/browser-sign-in.port.js';
import type { Principal } from '../../auth/principal.js';
import { type PublicAddress, publicOrigin } from '../../http/request/public-url.js';
import { Fault } from '../../kernel/fault.js';
import { clearSessionCookie, requestCredentials, type SameSite, setSessionCookie } from '../access/session-cookie.js';
import { isForm, logoutPage, mayLogOutByGet } from './logout-page.js';
import { getUserSchema, type Login, loginSchema, logoutSchema, signInSchemas } from './sign-in.schema.js';
import { setSignedOutCookie } from './signed-out-cookie.js';

export interface SignInRoutesDeps extends PublicAddress {
  readonly rootPath: string;
  /** Undefined when no OpenID Connect provider is configured. */
  readonly browserSignIn: BrowserSignIn | undefined;
  readonly authenticator: Authenticator;
  readonly sameSite: SameSite;
  /** Origins of other sites whose scripts may call the service. */
  readonly corsOrigins: readonly string[];
}

const config = { access: 'open' } as const;

/** Registers the routes for signing in with a password, for signing out, and for the current user. */
export async function signInRoutes(app: FastifyInstance, deps: SignInRoutesDeps): Promise<void> {
  for (const schema of signInSchemas) app.addSchema(schema);
  const logout = logoutHandler(deps);
  app.post('/login', { config: { ...config, challenge: null }, schema: loginSchema }, loginHandler(deps));
  app.get('/user', { config, schema: getUserSchema }, getUserHandler(deps));
  // A HEAD request must not sign anyone out.
  app.get('/logout', { config, exposeHeadRoute: false, schema: logoutSchema('logoutByGet') }, (request, reply) =>
    mayLogOutByGet(request, deps.corsOrigins) ? logout(request, reply) : sendLogoutPage(reply),
  );
  await app.register(async (scope) => {
    // The page sends an empty form.
    scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) => done(null));
    scope.post('/logout', { config, schema: logoutSchema('logout') }, logout);
  });
}

function sendLogoutPage(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').serializer(String).send(logoutPage);
}

const loginHandler =
  ({ authenticator, sameSite }: SignInRoutesDeps) =>
  async (request: FastifyRequest<{ Body: Login }>, reply: FastifyReply) => {
    const { username, password } = request.body;
    const { principal, secret } = await authenticator.signIn({ userName: username, password }, request.ip);
    await setSessionCookie(request, reply, { authenticator, token: secret, sameSite });
    reply.header('cache-control', 'no-store');
    return toUser(principal);
  };

const getUserHandler =
  ({ authenticator }: SignInRoutesDeps) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store');
    const principal = await authenticator.identify(requestCredentials(request));
    if (!principal) throw new Fault('missing', 'auth.not-signed-in', 'You are not signed in.');
    return toUser(principal);
  };

const logoutHandler = (deps: SignInRoutesDeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const ended = await clearSessionCookie(request, reply, deps);
  reply.header('cache-control', 'no-store');
  const done = () => (isForm(request) ? reply.redirect('/', 303) : reply.send());
  if (ended?.account.scheme !== 'oidc' || !deps.browserSignIn) return done();
  setSignedOutCookie(request, reply, deps.rootPath);
  const returnUrl = new URL('/', publicOrigin(request, deps)).href;
  const signOutUrl = await deps.browserSignIn.findSignOutAddress(returnUrl, ended.idToken);
  if (signOutUrl === undefined) return done();
  // A script cannot follow a redirect to the provider's pages, so it receives the address and opens it.
  if (isForm(request) || (request.method === 'GET' && isNavigation(request))) return reply.redirect(signOutUrl, 303);
  return { signOutUrl };
};

/** Whether a browser opens the address as a page; scripts do not ask for HTML. */
function isNavigation({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}

function toUser({ userName, roles }: Principal): { userName: string; roles: string[] } {
  return { userName, roles: [...roles] };
}
