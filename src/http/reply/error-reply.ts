import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';
import type {} from '../request/route-config.js';
import { describeError, errorBody } from './error-body.js';

/** `Retry-After` in seconds of errors that do not name their own, by status. */
const retryAfter: Readonly<Record<number, number>> = { 429: 1, 503: 5 };

/** Logs an error and sends it as a response. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const described = describeError(error);
  // An error that no client waits for, such as of a cancelled search, is not a failure of the service.
  if (described.status >= 500 && !reply.raw.destroyed) request.log.error({ err: error }, described.code);
  else request.log.debug({ code: described.code }, described.message);
  const challenge = described.status === 401 ? challengeFor(request) : null;
  if (challenge !== null) reply.header('www-authenticate', challenge);
  request.faultCode = described.code;
  const retryAfterSeconds =
    (error instanceof Fault ? error.retryAfterSeconds : undefined) ?? retryAfter[described.status];
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  // Fastify would close the connection while the client is still sending, and the client would not see the response.
  if (!request.raw.complete) reply.removeHeader('connection');
  return reply
    .code(described.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ ...errorBody(described, request.url, request.id), ...(error instanceof Fault && error.details) });
}

/**
 * The `WWW-Authenticate` header of a 401; null for none. A script in a browser gets none: the browser would show its own
 * password dialogue over the page, and keep the password beyond the sign-out. The fetch of Node.js sends Sec-Fetch-Mode
 * too, but has no dialogue.
 */
function challengeFor(request: FastifyRequest): string | null {
  const { headers, protocol, host } = request;
  const isOfOtherSite = headers.origin !== undefined && headers.origin !== `${protocol}://${host}`;
  const mode = headers['sec-fetch-mode'];
  const isOfScript = mode !== undefined && mode !== 'navigate' && !/^(node|undici)$/.test(headers['user-agent'] ?? '');
  const isOfClient = 'x-logbook-client-info' in headers || 'x-olog-client-info' in headers;
  if (isOfOtherSite || isOfScript || isOfClient) return null;
  const { challenge } = request.routeOptions.config ?? {};
  return challenge === undefined ? 'Basic realm="logbook"' : challenge;
}

/** Replies to input that is not valid HTTP, which never becomes a request of the application. */
export function replyToMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const described =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? { status: 431, code: 'request.headers-too-large', message: 'The URL and headers are longer than 16 kB.' }
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? { status: 408, code: 'request.timeout', message: 'The request did not arrive in time; nothing was stored.' }
        : { status: 400, code: 'request.malformed', message: 'This is not a valid HTTP request.' };
  const body = JSON.stringify(errorBody(described, '', undefined));
  socket.end(
    `HTTP/1.1 ${described.status} ${STATUS_CODES[described.status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
