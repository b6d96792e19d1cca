import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AbortedAt } from './aborted-requests.js';
import { redactUrl } from './redact-url.js';
import type {} from './route-config.js';

/** The path of the URL without the query, at most 200 characters. */
export function pathOf(request: FastifyRequest): string {
  return redactUrl(request.originalUrl.split('?', 1)[0] ?? '').slice(0, 200);
}

/** The URL for the log: without secrets, at most 2,048 characters. */
export function loggableUrl(request: FastifyRequest): string {
  return request.routeOptions.config?.redactQuery ? pathOf(request) : redactUrl(request.originalUrl).slice(0, 2_048);
}

/** Writes the log line of a completed request. */
export function logRequest(request: FastifyRequest, reply: FastifyReply, userName: string | undefined): void {
  request.log.info({ ...describeRequest(request, reply, userName), status: reply.statusCode }, 'request');
}

/** Writes the log line of a request whose client left before the response was sent. */
export function logAborted(
  request: FastifyRequest,
  reply: FastifyReply,
  userName: string | undefined,
  at: AbortedAt,
): void {
  request.log.info({ ...describeRequest(request, reply, userName), abortedAt: at }, 'request aborted by its client');
}

/** Returns the fields by which the lines of the log describe a request. */
export function describeRequest(request: FastifyRequest, reply: FastifyReply, userName: string | undefined) {
  const clientInfo = request.headers['x-logbook-client-info'] ?? request.headers['x-olog-client-info'];
  return {
    method: request.method,
    url: loggableUrl(request),
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    remoteAddress: request.ip,
    user: userName,
    ...(clientInfo !== undefined && { clientInfo: String(clientInfo).slice(0, 200) }),
  };
}
