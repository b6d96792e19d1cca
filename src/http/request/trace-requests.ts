import type { FastifyInstance } from 'fastify';
import type { Tracing } from '../../kernel/tracing.js';

/**
 * Records each request as a span named by its route. The address is not recorded: it may contain secrets and users'
 * texts.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const span = tracing.startRequest(request.headers);
    if (!span) {
      done();
      return;
    }
    reply.raw.once('close', () => {
      const route = request.context.route.url ?? 'unknown';
      const { statusCode, writableFinished } = reply.raw;
      const attributes = {
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': statusCode,
        'logbook.request_id': request.id,
        ...(!writableFinished && { 'logbook.aborted': true }),
      };
      span.end(`${request.method} ${route}`, attributes, statusCode >= 500);
    });
    span.run(done);
  });
}
