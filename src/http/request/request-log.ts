import type { FastifyReply, FastifyRequest } from 'fastify';
import type {} from './route-config.js';

/** The path of the URL without the query, at most 200 characters. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]?.slice(0, 200) ?? '';
}

/** Writes the log line of a completed request. */
export function logRequest(request: FastifyRequest, reply: FastifyReply, userName: string | undefined): void {
  const clientInfo = request.headers['x-logbook-client-info'] ?? request.headers['x-olog-client-info'];
  request.log.info(
    {
      method: request.method,
      url: request.routeOptions.config?.redactQuery ? pathOf(request) : request.url.slice(0, 2_048),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      remoteAddress: request.ip,
      user: userName,
      ...(clientInfo !== undefined && { clientInfo: String(clientInfo).slice(0, 200) }),
    },
    'request',
  );
}
