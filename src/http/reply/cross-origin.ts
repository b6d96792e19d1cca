import type { FastifyInstance } from 'fastify';

const exposedHeaders = 'ETag, Retry-After, Allow, Content-Disposition, Content-Range, Range, Logbook-Position';
const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Range, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Logbook-Client-Info, X-Logbook-Expected-User, X-Olog-Client-Info',
  'access-control-max-age': '600',
  'content-length': '0',
} as const;

/** Lets pages of these origins call the API with the session of their user (CORS). Answers OPTIONS of every path. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin !== undefined) {
      if (allowed.has(origin)) reply.header('access-control-allow-origin', origin);
      reply.header('access-control-allow-credentials', 'true');
      reply.header('access-control-expose-headers', exposedHeaders);
    }
    if (request.method === 'OPTIONS') reply.headers(preflightHeaders).code(204).send();
    else done();
  });
  // The hook responds; the route only makes every path known to the router.
  app.options('*', { schema: { hide: true } }, async (_request, reply) => reply.code(204).send());
}
