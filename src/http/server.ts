import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import cookie from '@fastify/cookie';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import { Fault } from '../kernel/fault.js';
import { noTracing, type Tracing } from '../kernel/tracing.js';
import type { Admission } from './admission/admission.js';
import { publishDescription } from './api-description.js';
import { ErrorSchema } from './common.schema.js';
import type { RequestMetrics } from './metrics.js';
import { compressResponses } from './reply/compression.js';
import { allowOrigins } from './reply/cross-origin.js';
import { maxParamLength } from './reply/error-body.js';
import { replyToMalformedRequest, sendError } from './reply/error-reply.js';
import { addSecurityHeaders } from './reply/security-headers.js';
import { type AbortedAt, watchAborts } from './request/aborted-requests.js';
import { KnownPaths } from './request/known-paths.js';
import { finishReading, readBodies } from './request/read-bodies.js';
import { checkRoutable, refuseUnroutable, toRoutedUrl } from './request/refused-requests.js';
import { provideContext } from './request/request-context.js';
import { logAborted, logRequest, pathOf } from './request/request-log.js';
import { lazyRequestLogger } from './request/request-logger.js';
import { RootPaths } from './request/root-paths.js';
import { SchemaValidators } from './request/schema-validator.js';
import type { SlowRequests } from './request/slow-requests.js';
import { traceRequests } from './request/trace-requests.js';

export interface ServerOptions {
  readonly rootPath: string;
  readonly rootPathAliases: readonly string[];
  readonly maxJsonBytes: number;
  readonly maxRequestBytes: number;
  readonly admission: Admission;
  readonly corsOrigins: readonly string[];
  readonly logger: FastifyBaseLogger;
  readonly metrics: RequestMetrics;
  /** Addresses of the proxies whose `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Returns the name of the user who sent a request, for the log; undefined when unknown. */
  readonly userNameOf: (request: FastifyRequest) => string | undefined;
  readonly tracing: Tracing;
  readonly slowRequests: SlowRequests;
  /** Records a request whose client left before the response was sent. */
  readonly auditAborted: (request: FastifyRequest, at: AbortedAt) => void;
  /** Paths whose responses are never compressed, see compression.ts. */
  readonly uncompressedPaths: readonly string[];
  /** Adds the hooks and decorators of all routes. Called before the first route is registered. */
  readonly beforeRoutes: (app: FastifyInstance) => void;
}

const requestTimeoutMs = 600_000;
/** Idle time after which a connection is closed. It is longer than any response takes to start. */
const idleConnectionMs = 120_000;
const compileDelayMs = 1_500;

/** Builds the HTTP application without its routes: errors, bodies, headers, log and API description. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const validators = new SchemaValidators();
  const rootPaths = new RootPaths(options.rootPath, options.rootPathAliases);
  const app = createApp(options, validators, rootPaths);
  compileAfterStart(app, validators);
  app.addSchema(ErrorSchema);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const paths = new KnownPaths(app);
  app.setNotFoundHandler((request, reply) => {
    throw unknownAddress(request, reply, paths);
  });
  provideContext(app);
  app.decorateRequest('rootPath', {
    getter() {
      return rootPaths.spelledIn(this.originalUrl);
    },
  });
  app.addHook('onRoute', ({ url }) => rootPaths.checkReachable(url));
  if (options.tracing !== noTracing) traceRequests(app, options.tracing);
  app.addHook('onRequest', (_request, _reply, done) => {
    options.metrics.noteRequest();
    done();
  });
  options.slowRequests.watch(app);
  // Reads the address of the client, which the hooks below may need after a disconnect.
  reportAborts(app, options);
  readBodies(app, options);
  await app.register(cookie);
  addSecurityHeaders(app);
  allowOrigins(app, options.corsOrigins);
  app.addHook('onRequest', refuseUnservable(app, paths));
  readBooleans(app);
  app.addHook('onResponse', (request, reply, done) => {
    finishReading(request);
    const userName = options.userNameOf(request);
    logRequest(request, reply, userName);
    options.slowRequests.report(request, reply, userName);
    options.metrics.recordRequest(
      request.method,
      request.context.route.url ?? 'unknown',
      reply.statusCode,
      reply.elapsedTime,
    );
    done();
  });
  options.beforeRoutes(app);
  compressResponses(app, options.uncompressedPaths);
  await publishDescription(app, options.rootPath);
  return app;
}

function reportAborts(app: FastifyInstance, { metrics, userNameOf, auditAborted, slowRequests }: ServerOptions): void {
  watchAborts(app, {
    onAborted: (request, reply, at) => {
      logAborted(request, reply, userNameOf(request), at);
      if (at === 'waiting') slowRequests.report(request, reply, userNameOf(request));
      auditAborted(request, at);
      metrics.recordAborted(at);
    },
    onStreamLeft: (request, reply) => logRequest(request, reply, userNameOf(request)),
  });
}

function createApp(
  options: ServerOptions,
  { buildValidator }: SchemaValidators,
  rootPaths: RootPaths,
): FastifyInstance {
  return Fastify<Server>({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    childLoggerFactory: lazyRequestLogger,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleConnectionMs,
    keepAliveTimeout: 65_000,
    // The start on a busy machine or a slow disk takes as long as it needs.
    pluginTimeout: 0,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Clients append paths to base URLs that end with a slash.
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength },
    rewriteUrl: (request) => toRoutedUrl(request, rootPaths),
    // Handlers whitelist the fields of a response; compiled serializers would only cost start time and memory.
    schemaController: {
      compilersFactory: { buildValidator, buildSerializer: () => () => JSON.stringify },
    },
    frameworkErrors: (error, request, reply) => refuseUnroutable(request.server, request.raw, reply.raw, error),
    clientErrorHandler: replyToMalformedRequest,
    // A request without the header gets the usual error body from `checkHost` instead of Node's empty response.
    http: { requireHostHeader: false },
  });
}

/** Compiles the schemas in the background after the start. A request waits only for those of its own route. */
function compileAfterStart(app: FastifyInstance, validators: SchemaValidators): void {
  const stopping = new AbortController();
  const compile = () => {
    validators.compileAll(stopping.signal).catch((err: unknown) => app.log.error({ err }, 'a schema is not valid'));
  };
  app.addHook('onReady', async () => {
    const timer = setTimeout(compile, compileDelayMs).unref();
    stopping.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  app.addHook('preClose', async () => stopping.abort());
}

/** Makes the hook that refuses a request that no route can serve, before its body is read. */
function refuseUnservable(app: FastifyInstance, paths: KnownPaths): onRequestHookHandler {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  return (request, reply, done) => {
    if (stopping)
      throw new Fault('unavailable', 'service.stopping', 'The service is shutting down. Try again in a moment.');
    if (request.url.includes('%00')) {
      throw new Fault('invalid', 'request.bad-text', 'The URL contains a NUL character. Remove it.');
    }
    checkRoutable(request.raw);
    checkHost(request);
    checkQuery(request);
    if (request.is404) throw unknownAddress(request, reply, paths);
    done();
  };
}

/**
 * @throws Fault invalid `request.malformed` without a Host header in HTTP/1.1, which requires one, or with several
 *   headers: programs disagree on which of them counts
 */
function checkHost({ raw }: FastifyRequest): void {
  let hosts = 0;
  // Names and values alternate.
  for (let at = 0; at < raw.rawHeaders.length; at += 2) if (isHost(raw.rawHeaders[at] ?? '')) hosts += 1;
  if (hosts === 1 || (hosts === 0 && raw.httpVersion !== '1.1')) return;
  const problem = hosts === 0 ? 'no Host header' : `${hosts} Host headers`;
  throw new Fault('invalid', 'request.malformed', `This is not a valid HTTP request: it has ${problem}.`);
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === 'host';

/** @throws Fault invalid `request.bad-url`, as for an invalid path */
function checkQuery({ url }: FastifyRequest): void {
  const at = url.indexOf('?');
  if (at < 0 || !url.includes('%', at)) return;
  try {
    decodeURIComponent(url.slice(at));
  } catch (error) {
    throw new Fault('invalid', 'request.bad-url', 'The query of the URL is not correctly percent-encoded.', {
      cause: error,
    });
  }
}

/** Accepts boolean parameters in any case, such as Python's `True`. An empty one means the default. */
function readBooleans(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { querystring } = (route.schema ?? {}) as { querystring?: { properties?: object } };
    const properties = Object.entries(querystring?.properties ?? {});
    const names = properties.filter(([, property]) => property.type === 'boolean').map(([name]) => name);
    if (names.length === 0) return;
    const read = (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      const query = request.query as Record<string, unknown>;
      for (const name of names) {
        const value = query[name];
        if (typeof value !== 'string') continue;
        if (value.trim() === '') delete query[name];
        else query[name] = value.trim().toLowerCase();
      }
      done();
    };
    route.preValidation = [read, ...[route.preValidation ?? []].flat()];
  });
}

/** Returns the fault of a request without a route: the path is unknown, or it does not support the method. */
function unknownAddress(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): Fault {
  const path = pathOf(request);
  const methods = paths.methodsOf(request.url.split('?', 1)[0] ?? '');
  if (methods.length === 0)
    return new Fault('missing', 'request.unknown-address', `${request.method} ${path} was not found.`);
  reply.header('allow', methods.join(', '));
  return new Fault(
    'wrong-method',
    'request.wrong-method',
    `${path} does not accept ${request.method}. Use ${methods.join(', ')}.`,
  );
}
