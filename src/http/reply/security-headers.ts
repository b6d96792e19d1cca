import type { FastifyInstance } from 'fastify';

/** Headers of every response, by which browsers restrict pages. A route may replace one of them. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'",
  'cross-origin-opener-policy': 'same-origin',
  // Other tools of a facility embed pages and images of the logbook.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  // Caches must not give a page of one origin the response to a page of another.
  vary: 'Origin',
} as const;

/** Adds the headers by which browsers restrict pages, without Strict-Transport-Security: plain HTTP is supported. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}
