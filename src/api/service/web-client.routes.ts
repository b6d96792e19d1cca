import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { matchesEntityTag } from '../../http/reply/etag.js';
import type { WebClient, WebClientFile } from './web-client.js';

const open = { schema: { hide: true }, config: { access: 'open' } } as const;

/**
 * Addresses of the client's pages, which all return its only HTML page. They are listed individually, so that an
 * unknown address remains an error. They cover all routes of `web/src/app/router.tsx`.
 */
const pages = [
  '/',
  '/entries/*',
  '/write',
  '/write/*',
  '/new',
  '/at/*',
  '/drafts',
  '/devices/*',
  '/saved',
  '/inbox',
  '/hand-over',
  '/hand-over/*',
  '/wall',
  '/sign-in',
  '/administration',
  '/administration/*',
  // The client redirects from the former address to the current one.
  '/look-after',
  '/look-after/*',
];

/**
 * Returns the policy of the client's pages: they load files only from this service, send requests only to it, and run
 * no scripts built from text. The scripts in the page are allowed by their hashes.
 */
const policyWith = (scriptHashes: readonly string[]) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`)].join(' '),
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types logbook',
  ].join('; ');

/** A worker has the policy of its own file. The worker that reads HEIC images runs WebAssembly, unlike every page. */
const imageWorkerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";

/**
 * Registers the routes of the built browser client: one HTML page at the addresses of all pages, and the files that it
 * loads.
 */
export async function webClientRoutes(app: FastifyInstance, { client }: { readonly client: WebClient }): Promise<void> {
  const contentSecurityPolicy = policyWith(client.scriptHashes);
  for (const page of pages) {
    app.get(page, open, async (request, reply) => {
      reply.header('content-security-policy', contentSecurityPolicy);
      return sendFile(request, reply, client.page);
    });
  }
  for (const [name, file] of client.rootFiles) {
    app.get(`/${name}`, open, async (request, reply) => {
      // The file may be a worker, which is subject to the policy of its own file.
      reply.header('content-security-policy', contentSecurityPolicy);
      return sendFile(request, reply, file);
    });
  }
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      // Only the client loads its files. Some of its requests for a file have an Origin header and others do not, so
      // the response must not depend on it.
      reply.removeHeader('access-control-allow-origin').header('vary', 'Accept-Encoding');
      if (request.url.startsWith('/assets/heic-worker-')) reply.header('content-security-policy', imageWorkerPolicy);
    });
    await scope.register(fastifyStatic, {
      root: client.assetsDir,
      prefix: '/assets/',
      index: false,
      preCompressed: true,
      // The names of the files contain a hash of their content.
      immutable: true,
      maxAge: '365d',
      schemaHide: true,
    });
  });
}

/** Sends a file that may change with every version. Browsers store it and revalidate it on each use. */
function sendFile(request: FastifyRequest, reply: FastifyReply, { type, etag, content }: WebClientFile) {
  // Browsers ignore this header over plain HTTP, and report an error for it on every page.
  if (request.protocol === 'http') reply.removeHeader('cross-origin-opener-policy');
  reply.header('cache-control', 'no-cache').header('etag', etag);
  if (matchesEntityTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(content);
}
