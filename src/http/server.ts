import { randomUUID } from 'node:crypto';
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
} from 'fastify';
import { type AccessOptions, checkAccess, checkAccessDeclared, isReading } from '../api/access/authorize-request.js';
import type { AuditRecord } from '../auth/audit-store.port.js';
import { Fault, quoted } from '../kernel/fault.js';
import { publishDescription } from './api-description.js';
import { ErrorSchema } from './common.schema.js';
import type { RequestMetrics } from './metrics.js';
import { answerBrokenRequest, sendError } from './reply/error-reply.js';
import { bodyTooLarge, readJsonBody } from './request/json-body.js';
import { validatorFactory } from './request/schema-validator.js';

export interface ServerOptions extends AccessOptions {
  readonly maxJsonBytes: number;
  readonly maxRequestBytes: number;
  readonly logger: FastifyBaseLogger;
  readonly metrics: RequestMetrics;
  /** Addresses of proxies that say who asked them. */
  readonly trustedProxies: readonly string[];
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

function auditWrite(request: FastifyRequest, reply: FastifyReply, { audit, rootPath }: ServerOptions): void {
  const { url = '', config } = request.routeOptions;
  // What is open is no deed, but signing in and out, which is recorded where it is done.
  if (isReading(request) || request.is404 || config.access === 'open') return;
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
