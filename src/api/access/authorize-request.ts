import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { principalOf } from './request-principal.js';

export interface AccessOptions {
  readonly rootPath: string;
  readonly corsOrigins: readonly string[];
  /** Whether GET needs sign-in too, below the root path. */
  readonly requireSignInForReads: boolean;
  /** Whether what comes from another host may write over TLS alone. */
  readonly requireTlsForWrites: boolean;
  readonly permissions: Permissions;
  /** The principal of a request; throws a Fault for credentials that are wrong. */
  readonly identify: (request: FastifyRequest) => Promise<FastifyRequest['principal']>;
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

export const isReading = ({ method }: FastifyRequest): boolean => reading.has(method);

/** Lets every request of `app` go on only when its sender may do what it asks for. */
export function authorizeRequests(app: FastifyInstance, options: AccessOptions): void {
  app.decorateRequest('principal', undefined);
  app.addHook('onRoute', checkAccessDeclared);
  app.addHook('onRequest', async (request) => authorizeRequest(request, options));
}

/** A route that writes says who may use it: forgotten, it would be open to whoever is signed in. */
function checkAccessDeclared({ method, url, config }: RouteOptions): void {
  const writes = [method].flat().some((one) => !reading.has(one));
  if (writes && config?.access === undefined) throw new Error(`the route ${method} ${url} does not say who may use it`);
}

/**
 * Lets a request go on only when whoever sends it may do what it asks for.
 * @throws Fault forbidden `auth.origin-not-allowed`, `request.tls-required`, `auth.password-required` or of the missing role;
 *   unauthenticated
 */
async function authorizeRequest(request: FastifyRequest, options: AccessOptions): Promise<void> {
  checkOrigin(request, options.corsOrigins);
  if (options.requireTlsForWrites) checkTls(request);
  await checkPrincipal(request, options);
}

async function checkPrincipal(request: FastifyRequest, options: AccessOptions): Promise<void> {
  const { access } = request.routeOptions.config;
  if (access === 'open') return;
  // By the route, not by how the address was written.
  const inApi = `${request.routeOptions.url}/`.startsWith(`${options.rootPath}/`);
  const needed = !isReading(request) || access !== undefined || (options.requireSignInForReads && inApi);
  if (!needed && !(options.permissions.hasReadRestrictions && inApi)) return;
  request.principal = await options.identify(request);
  if (!needed) return;
  const principal = principalOf(request);
  if (access === 'password' && principal.token) {
    throw new Fault('forbidden', 'auth.password-required', 'This is not done with a token. Sign in with a password.');
  }
  if (access !== undefined && access !== 'password') {
    options.permissions.check(principal, access);
  }
}

const loopback = /^(127\.|::1$|::ffff:127\.)/;

/** Whether nobody on the way reads what the request brings. */
export function isSecureTransport({ protocol, ip }: FastifyRequest): boolean {
  return protocol === 'https' || loopback.test(ip);
}

/** Whoever listens on the way would read the password and the entry. */
function checkTls(request: FastifyRequest): void {
  const { access, redactQuery } = request.routeOptions.config;
  const signsIn = request.headers.authorization !== undefined || (access === 'open' && redactQuery === true);
  if (isReading(request) && !signsIn) return;
  if (isSecureTransport(request)) return;
  throw new Fault(
    'forbidden',
    'request.tls-required',
    'Writing and signing in need TLS here. Use the https address of the service.',
  );
}

/** A browser sends forms to any site with the visitor's cookie or password; what they would write is refused. */
function checkOrigin(request: FastifyRequest, allowed: readonly string[]): void {
  // A browser that hides the origin still says that it is another site; what is no browser says neither.
  const origin = request.headers.origin ?? (request.headers['sec-fetch-site'] === 'cross-site' ? 'null' : undefined);
  const { crossOrigin } = request.routeOptions.config;
  if (origin === undefined || allowed.includes(origin)) return;
  if (isReading(request) && crossOrigin !== 'refused') return;
  if (origin === `${request.protocol}://${request.host}`) return;
  throw new Fault(
    'forbidden',
    'auth.origin-not-allowed',
    `Pages of ${quoted(origin)} may not write or listen here. The administrator can allow them with the setting corsOrigins.`,
  );
}
