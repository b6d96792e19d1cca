import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import type { AuditRecord } from '../auth/audit-store.port.js';
import type { Permissions } from '../auth/permission.js';
import { Fault, quoted } from '../kernel/fault.js';
import { publishDescription } from './api-description.js';
import { describeError, errorBody } from './error-body.js';
import { bodyTooLarge, readJsonBody } from './json-body.js';
import type { RequestMetrics } from './metrics.js';
import { principalOf } from './principal.js';
import { validatorFactory } from './schema-validator.js';
import { ErrorSchema } from './wire.js';

export interface ServerOptions {
  readonly rootPath: string;
  readonly maxJsonBytes: number;
  readonly maxRequestBytes: number;
  readonly corsOrigins: readonly string[];
  /** Whether GET needs sign-in too, below the root path. */
  readonly requireSignInForReads: boolean;
  readonly logger: FastifyBaseLogger;
  readonly metrics: RequestMetrics;
  /** Addresses of proxies that say who asked them. */
  readonly trustedProxies: readonly string[];
  /** Whether what comes from another host may write over TLS alone. */
  readonly requireTlsForWrites: boolean;
  readonly permissions: Permissions;
  /** The principal of a request; throws a Fault for credentials that are wrong. */
  readonly identify: (request: FastifyRequest) => Promise<FastifyRequest['principal']>;
  /** Told of every request that wrote or tried to. */
  readonly audit: (event: Omit<AuditRecord, 'atMs'>) => void;
}

const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'";

/** How long and how much of a refused body is still read, so that its sender gets to see the answer. */
const lingerMs = 30_000;
const requestTimeoutMs = 600_000;
/** Longer than any answer takes to begin. */
const idleConnectionMs = 120_000;
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The HTTP application without its routes: errors, bodies, sign-in, headers, log, description. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleConnectionMs,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4_000 },
    // The rooms name each field that they answer with; compiling a serializer for every answer costs start time and memory.
    schemaController: {
      compilersFactory: { buildValidator: validatorFactory(), buildSerializer: () => () => JSON.stringify },
    },
    frameworkErrors: (error, request, reply) => {
      void sendError(error, request, reply);
    },
    clientErrorHandler: answerBrokenRequest,
  });

  app.addSchema(ErrorSchema);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request) => {
    throw unknownAddress(request);
  });
  readBodies(app, options);

  await app.register(cookie);
  await app.register(helmet, {
    // Always the same; the plugin would put it together for every answer.
    contentSecurityPolicy: false,
    // Pages and images of the logbook are shown inside other tools of a facility.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The service is also used over plain HTTP.
    strictTransportSecurity: false,
    // For browsers that nobody has any more.
    xXssProtection: false,
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
    xPermittedCrossDomainPolicies: false,
    originAgentCluster: false,
  });
  await app.register(cors, {
    origin: [...options.corsOrigins],
    credentials: true,
    methods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'If-Match',
      'If-None-Match',
      'Idempotency-Key',
      'Last-Event-ID',
      'X-Logbook-Client-Info',
      'X-Olog-Client-Info',
    ],
    exposedHeaders: ['ETag'],
    strictPreflight: false,
    maxAge: 600,
  });
  app.addHook('onRoute', checkAccessDeclared);
  await publishDescription(app, options.rootPath);

  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.decorateRequest('principal', undefined);
  app.decorateRequest('faultCode', '');
  app.decorateRequest('auditTarget', '');
  app.addHook('onRequest', async (request, reply) => {
    reply.header('content-security-policy', contentSecurityPolicy);
    if (stopping) throw new Fault('unavailable', 'service.stopping', 'The service is stopping. Try again in a moment.');
    if (/%00/.test(request.url)) {
      throw new Fault('invalid', 'request.bad-text', 'The address has a NUL character, which is no text. Remove it.');
    }
    // Before its body is read.
    if (request.is404) throw unknownAddress(request);
    checkOrigin(request, options.corsOrigins);
    if (options.requireTlsForWrites) checkTls(request);
    await checkAccess(request, options);
  });
  app.addHook('preValidation', async (request) => {
    // Some languages write True.
    const { querystring } = (request.routeOptions.schema ?? {}) as { querystring?: { properties?: object } };
    const query = request.query as Record<string, unknown>;
    for (const [name, schema] of Object.entries(querystring?.properties ?? {})) {
      const value = query[name];
      if (schema.type === 'boolean' && typeof value === 'string') query[name] = value.toLowerCase();
    }
  });
  app.addHook('onResponse', async (request, reply) => {
    finishReading(request);
    logRequest(request, reply);
    auditWrite(request, reply, options);
    options.metrics.observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime);
  });
  return app;
}

/** A route that writes says who may use it: forgotten, it would be open to whoever is signed in. */
function checkAccessDeclared({ method, url, config }: RouteOptions): void {
  const writes = [method].flat().some((one) => !reading.has(one));
  if (writes && config?.access === undefined) throw new Error(`the route ${method} ${url} does not say who may use it`);
}

async function checkAccess(request: FastifyRequest, options: ServerOptions): Promise<void> {
  const { access } = request.routeOptions.config;
  if (access === 'open') return;
  // By the route, not by how the address was written.
  const inApi = `${request.routeOptions.url}/`.startsWith(`${options.rootPath}/`);
  const needed = !reading.has(request.method) || access !== undefined || (options.requireSignInForReads && inApi);
  if (!needed && !(options.permissions.readersDiffer && inApi)) return;
  request.principal = await options.identify(request);
  if (!needed) return;
  const principal = principalOf(request);
  if (access === 'password' && principal.token) {
    throw new Fault('forbidden', 'auth.password-needed', 'This is not done with a token. Sign in with a password.');
  }
  if (access !== undefined && access !== 'password') {
    options.permissions.check(principal, access);
  }
}

const loopback = /^(127\.|::1$|::ffff:127\.)/;

/** Whether nobody on the way reads what the request brings. */
export function isPrivate({ protocol, ip }: FastifyRequest): boolean {
  return protocol === 'https' || loopback.test(ip);
}

/** Whoever listens on the way would read the password and the entry. */
function checkTls(request: FastifyRequest): void {
  const { access, secretQuery } = request.routeOptions.config;
  const signsIn = request.headers.authorization !== undefined || (access === 'open' && secretQuery === true);
  if (reading.has(request.method) && !signsIn) return;
  if (isPrivate(request)) return;
  throw new Fault(
    'forbidden',
    'request.tls-needed',
    'Writing and signing in need TLS here. Use the https address of the service.',
  );
}

function auditWrite(request: FastifyRequest, reply: FastifyReply, { audit, rootPath }: ServerOptions): void {
  const { url = '', config } = request.routeOptions;
  // What is open is no deed, but signing in and out, which is recorded where it is done.
  if (reading.has(request.method) || request.is404 || config.access === 'open') return;
  // Attempts of nobody could be any number; those with a wrong password are recorded as such.
  if (!request.principal) return;
  const status = reply.statusCode;
  const { token } = request.principal;
  audit({
    userName: request.principal.userName,
    action: `${request.method} ${url.startsWith(rootPath) ? url.slice(rootPath.length) : url}`,
    target: request.auditTarget || pathOf(request),
    from: request.ip,
    outcome: status < 400 ? 'done' : status < 500 ? 'refused' : 'failed',
    detail: [request.faultCode, token && `token ${token.id} ${quoted(token.name)}`].filter(Boolean).join('; '),
  });
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]?.slice(0, 200) ?? '';
}

/** A browser sends forms to any site with the visitor's cookie or password; what they would write is refused. */
function checkOrigin(request: FastifyRequest, allowed: readonly string[]): void {
  // A browser that hides the origin still says that it is another site; what is no browser says neither.
  const origin = request.headers.origin ?? (request.headers['sec-fetch-site'] === 'cross-site' ? 'null' : undefined);
  const { foreignPages } = request.routeOptions.config;
  if (origin === undefined || allowed.includes(origin)) return;
  if (reading.has(request.method) && foreignPages !== 'refused') return;
  if (origin === `${request.protocol}://${request.host}`) return;
  throw new Fault(
    'forbidden',
    'auth.foreign-origin',
    `Pages of ${quoted(origin)} may not write or listen here. The administrator can allow them with the setting corsOrigins.`,
  );
}

function unknownAddress(request: FastifyRequest): Fault {
  return new Fault('missing', 'request.unknown-address', `There is nothing at ${request.method} ${pathOf(request)}.`);
}

function readBodies(app: FastifyInstance, { maxJsonBytes, maxRequestBytes }: ServerOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const announced = request.headers['content-length'];
    return readJsonBody(payload, maxJsonBytes, announced === undefined ? undefined : Number(announced));
  });
  app.addHook('preParsing', async (request) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      throw new Fault(
        'unsupported-type',
        'request.content-encoding',
        'Compressed bodies are not read. Send it uncompressed.',
      );
    }
    if (Number(request.headers['content-length'] ?? 0) > maxRequestBytes) throw bodyTooLarge(maxRequestBytes);
  });
}

/** By status: when it makes sense to try again, in seconds. */
const retryAfter: Readonly<Record<number, number>> = { 429: 1, 503: 5 };

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const described = describeError(error);
  // What a client does not wait for any more is nobody's problem.
  if (described.status >= 500 && !reply.raw.destroyed) request.log.error({ err: error }, described.code);
  else request.log.debug({ code: described.code }, described.message);
  if (described.status === 401) {
    reply.header('www-authenticate', request.routeOptions.config?.challenge ?? 'Basic realm="logbook"');
  }
  request.faultCode = described.code;
  const retryAfterSeconds =
    (error instanceof Fault ? error.retryAfterSeconds : undefined) ?? retryAfter[described.status];
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  // The framework would close the connection on a client that is still sending, which hides the answer.
  if (!request.raw.complete) reply.removeHeader('connection');
  return reply
    .code(described.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorBody(described, request.url, request.id));
}

/** A request that is no HTTP never becomes a request of the application. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const described =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? { status: 431, code: 'request.headers-too-large', message: 'The address and headers are longer than 16 kB.' }
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? { status: 408, code: 'request.too-slow', message: 'The request did not arrive in time; nothing was stored.' }
        : { status: 400, code: 'request.malformed', message: 'This is not a valid HTTP request.' };
  const body = JSON.stringify(errorBody(described, '', undefined));
  socket.end(
    `HTTP/1.1 ${described.status} ${STATUS_CODES[described.status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/**
 * A client that is still sending reads the answer when it has finished; a connection closed before would hide it.
 * Bounded, so that nobody can keep sending for ever.
 */
function finishReading({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.socket.destroy(), lingerMs);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
  raw.resume();
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const clientInfo = request.headers['x-logbook-client-info'] ?? request.headers['x-olog-client-info'];
  request.log.info(
    {
      method: request.method,
      url: request.routeOptions.config?.secretQuery ? pathOf(request) : request.url.slice(0, 2_048),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      from: request.ip,
      user: request.principal?.userName,
      ...(clientInfo !== undefined && { clientInfo: String(clientInfo).slice(0, 200) }),
    },
    'request',
  );
}
