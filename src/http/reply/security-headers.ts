import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'";

/** Adds the headers by which browsers restrict pages: Content-Security-Policy, CORS and others. */
export async function registerSecurityHeaders(app: FastifyInstance, corsOrigins: readonly string[]): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', contentSecurityPolicy);
  });
  await app.register(helmet, {
    // Set by the hook above: the plug-in would build the constant text again for every response.
    contentSecurityPolicy: false,
    // Other tools of a facility embed pages and images of the logbook.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The service may also be used over plain HTTP.
    strictTransportSecurity: false,
    // Only obsolete browsers use these.
    xXssProtection: false,
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
    xPermittedCrossDomainPolicies: false,
    originAgentCluster: false,
  });
  await app.register(cors, {
    origin: [...corsOrigins],
    credentials: true,
    methods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Range',
      'Content-Type',
      'If-Match',
      'If-None-Match',
      'Idempotency-Key',
      'Last-Event-ID',
      'X-Logbook-Client-Info',
      'X-Olog-Client-Info',
    ],
    exposedHeaders: [
      'ETag',
      'Retry-After',
      'Allow',
      'Content-Disposition',
      'Content-Range',
      'Range',
      'Logbook-Position',
    ],
    strictPreflight: false,
    maxAge: 600,
  });
}
