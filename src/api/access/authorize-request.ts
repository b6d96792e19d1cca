import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { checkExpectedUser } from './expected-user.js';
import { type Access, principalOf } from './request-principal.js';

export interface AccessOptions {
  readonly rootPath: string;
  readonly corsOrigins: readonly string[];
  /** Whether reading below the root path also requires sign-in. */
  readonly requireSignInForReads: boolean;
  /** Whether requests from other hosts must use TLS to write. */
  readonly requireTlsForWrites: boolean;
  readonly permissions: Permissions;
  /** Identifies the principal of a request; undefined without credentials. Throws a Fault for wrong credentials. */
  readonly identify: (request: FastifyRequest) => Promise<Principal | undefined>;
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

export const writes = ({ method }: RouteOptions): boolean => [method].flat().some((one) => !reading.has(one));

export const isReading = ({ method }: FastifyRequest): boolean => reading.has(method);

/** Refuses every request of `app` that its sender may not make. */
export function authorizeRequests(app: FastifyInstance, options: AccessOptions): void {
  app.addHook('onRoute', checkAccessDeclared);
  app.addHook('onRequest', (request, _reply, done) => {
    const checked = authorizeRequest(request, options);
    if (!checked) done();
    return checked;
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isInApi(request, options)) varyByReader(reply);
    done(null, payload);
  });
}

/** Refuses a route that writes without declaring its access: it would be open to every signed-in user. */
function checkAccessDeclared(route: RouteOptions): void {
  const { method, url, config } = route;
  if (writes(route) && config?.access === undefined) throw new Error(`the route ${method} ${url} declares no access`);
}

/**
 * Refuses a request that its sender may not make. Returns undefined when no user is needed for the decision.
 * @throws Fault forbidden `auth.origin-not-allowed`, `request.tls-required`, `auth.password-required`,
 *   `auth.token-required`, or the fault for a missing role; unauthenticated, for example `auth.other-user`
 */
function authorizeRequest(request: FastifyRequest, options: AccessOptions): Promise<void> | undefined {
  checkOrigin(request, options.corsOrigins);
  if (options.requireTlsForWrites) checkTls(request);
  const { access } = request.context.route.config;
  if (access === 'open') return undefined;
  const inApi = isInApi(request, options);
  const required = !isReading(request) || access !== undefined || (options.requireSignInForReads && inApi);
  if (!required && !(options.permissions.hasReadRestrictions && inApi)) return undefined;
  return checkPrincipal(request, { access, required }, options);
}

async function checkPrincipal(
  request: FastifyRequest,
  { access, required }: { readonly access: Exclude<Access, 'open'> | undefined; readonly required: boolean },
  options: AccessOptions,
): Promise<void> {
  request.context.principal = await options.identify(request);
  if (!required) return;
  const principal = principalOf(request);
  checkExpectedUser(request, principal);
  if (access === 'password' && principal.token) {
    throw new Fault(
      'forbidden',
      'auth.password-required',
      'An API token cannot be used for this. Sign in with a password.',
    );
  }
  if (access === 'token' && !principal.token) {
    throw new Fault(
      'forbidden',
      'auth.token-required',
      'This requires an API token. Create one in the browser client, and send it as “Authorization: Bearer …”.',
    );
  }
  if (access === 'own-drafts') options.permissions.checkToken(principal, 'entries');
  else if (access !== undefined && access !== 'password' && access !== 'token') {
    options.permissions.check(principal, access);
  }
}

/** Whether the route is below the root path. The URL cannot decide that, because it can be spelled in several ways. */
export function isInApi({ context }: FastifyRequest, { rootPath }: Pick<AccessOptions, 'rootPath'>): boolean {
  return `${context.route.url}/`.startsWith(`${rootPath}/`);
}

/** Request headers that determine the reader, and so the response. */
const readerHeaders = ['Authorization', 'Cookie', 'Origin'];

/** Prevents caches from giving the response of one reader to another. */
function varyByReader(reply: FastifyReply): void {
  const vary = String(reply.getHeader('vary') ?? '');
  let extended = extendedVary.get(vary);
  if (extended === undefined) {
    extended = withReaderHeaders(vary);
    extendedVary.set(vary, extended);
  }
  reply.header('vary', extended);
}

/** The extended value for each value of `Vary` that a route sets. Routes set few different values. */
const extendedVary = new Map<string, string>([['Origin', readerHeaders.join(', ')]]);

function withReaderHeaders(vary: string): string {
  const present = vary.split(',').map((name) => name.trim());
  const names = [...present.filter((name) => name !== ''), ...readerHeaders];
  return names.filter((name, at) => names.findIndex((one) => sameHeader(one, name)) === at).join(', ');
}

function sameHeader(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

const loopback = /^(127\.|::1$|::ffff:127\.)/;

/** Whether the request cannot be read on the network, because it came over TLS or from this host. */
export function isSecureTransport({ protocol, ip }: FastifyRequest): boolean {
  return protocol === 'https' || loopback.test(ip);
}

/** Refuses a request that would send a password or an entry over the network in plain text. */
function checkTls(request: FastifyRequest): void {
  const { access, redactQuery } = request.context.route.config;
  const signsIn = request.headers.authorization !== undefined || (access === 'open' && redactQuery === true);
  if (isReading(request) && !signsIn) return;
  if (isSecureTransport(request)) return;
  throw new Fault(
    'forbidden',
    'request.tls-required',
    'Writing and signing in require TLS. Use the https URL of the service.',
  );
}

/** Refuses cross-site writes: a browser sends the cookie or password of its user with a form of any site. */
function checkOrigin(request: FastifyRequest, allowed: readonly string[]): void {
  // A browser that hides the origin still sends Sec-Fetch-Site; other clients send neither header.
  const origin = request.headers.origin ?? (request.headers['sec-fetch-site'] === 'cross-site' ? 'null' : undefined);
  const { crossOrigin } = request.context.route.config;
  if (origin === undefined || isTrustedOrigin(request, origin, allowed)) return;
  if (isReading(request) && crossOrigin !== 'refused') return;
  throw originNotAllowed(origin);
}

/** Whether the origin is the service itself, or one of the allowed origins. */
export function isTrustedOrigin(
  { protocol, host }: FastifyRequest,
  origin: string,
  allowed: readonly string[],
): boolean {
  return allowed.includes(origin) || origin === `${protocol}://${host}`;
}

export function originNotAllowed(origin: string): Fault {
  return new Fault(
    'forbidden',
    'auth.origin-not-allowed',
    `Pages of the origin ${quoted(origin)} may not write or open live connections. The administrator can allow them with the setting corsOrigins.`,
  );
}
