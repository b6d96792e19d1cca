import type { FastifyInstance } from 'fastify';

/** Headers of every response that restrict what pages may do in a browser. A route may replace one of them. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'",
  'cross-origin-opener-policy': 'same-origin',
  // Other tools of a facility embed pages and images of the logbook, so this is not `same-origin`.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  // A cache must not give a response for one origin to a page of another.
  vary: 'Origin',
} as const;

/** Adds the security headers. Strict-Transport-Security is omitted, because plain HTTP is supported. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}
