import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AbortedAt } from './aborted-requests.js';
import { redactUrl } from './redact-url.js';
import type {} from './route-config.js';

/** Number of path segments logged for an address without a route; later segments may contain text that users wrote. */
const shownSegments = 2;
const maxNames = 20;

/** Returns the path of the URL without its query and without file names, at most 200 characters. */
export function pathOf(request: FastifyRequest): string {
  const url = request.originalUrl;
  const queryAt = url.indexOf('?');
  const path = redactUrl(queryAt < 0 ? url : url.slice(0, queryAt));
  const { url: route } = request.context.route;
  const isKnown = route !== undefined && !route.endsWith('*');
  if (isKnown && !route.endsWith('/:attachmentName')) return path.slice(0, 200);
  const segments = path.split('/');
  const shown = isKnown ? segments.slice(0, -1) : segments.slice(0, shownSegments + 1);
  return `${shown.join('/')}${shown.length < segments.length ? '/…' : ''}`.slice(0, 200);
}

/** Whether the log may contain text that users wrote: only at the levels debug and trace. */
export function mayLogTexts({ log }: FastifyRequest): boolean {
  const { level } = log as { readonly level?: string };
  return level === 'debug' || level === 'trace';
}

/**
 * Returns the URL for the log, with only the names of its parameters. At the levels debug and trace, the URL keeps all
 * values except secrets, and at most 2,048 characters.
 */
export function loggableUrl(request: FastifyRequest): string {
  if (request.context.route.config?.redactQuery) return pathOf(request);
  if (mayLogTexts(request)) return redactUrl(request.originalUrl).slice(0, 2_048);
  const [, query] = /[?](.*)$/s.exec(request.originalUrl) ?? [];
  if (query === undefined) return pathOf(request);
  const names = query.split('&').flatMap((one) => /^([a-zA-Z]{1,30})=/.exec(one)?.[1] ?? []);
  const shown = [...new Set(names)].slice(0, maxNames).map((name) => `${name}=…`);
  return `${pathOf(request)}${shown.length > 0 ? `?${shown.join('&')}` : ''}`;
}

/** Writes the log line of a completed request. */
export function logRequest(request: FastifyRequest, reply: FastifyReply, userName: string | undefined): void {
  const line = { requestId: request.id, ...describeRequest(request, reply, userName), status: reply.statusCode };
  // The logger of the request would be created only for this line, which does not need it.
  request.server.log.info(line, 'request');
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

/** Returns the fields that describe a request in log lines. */
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
