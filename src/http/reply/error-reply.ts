import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';
import { describeLimit } from '../../kernel/limit.js';
import { hasBody } from '../request/has-body.js';
import { refuseUnroutable } from '../request/refused-requests.js';
import type {} from '../request/request-context.js';
import type {} from '../request/route-config.js';
import { isOfScript } from '../request/script-requests.js';
import { describeError, errorBody } from './error-body.js';

/** `Retry-After` in seconds by status, for errors that do not set their own. */
const retryAfter: Readonly<Record<number, number>> = { 429: 1, 503: 5 };

/** Logs an error and sends it as a response. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const described = describeError(error);
  // An error that no client waits for, such as that of a cancelled search, is not a failure of the service.
  if (described.status >= 500 && !reply.raw.destroyed) request.log.error({ err: error }, described.code);
  else request.log.debug({ code: described.code }, described.message);
  const challenge = described.status === 401 ? challengeFor(request) : null;
  if (challenge !== null) reply.header('www-authenticate', challenge);
  request.context.faultCode = described.code;
  // A cache must not store the error as the requested file, feed or list.
  for (const name of [
    'etag',
    'last-modified',
    'cache-control',
    'content-disposition',
    'content-range',
    'accept-ranges',
  ])
    if (described.status !== 412 || name !== 'etag') reply.removeHeader(name);
  const retryAfterSeconds =
    (error instanceof Fault ? error.retryAfterSeconds : undefined) ?? retryAfter[described.status];
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  // Fastify would close the connection while the client is still sending, and the client would not see the response.
  if (hasBody(request) && !request.raw.complete) reply.removeHeader('connection');
  return reply
    .code(described.status)
    .type(json)
    .serializer(JSON.stringify)
    .send({ ...errorBody(described, request.originalUrl, request.id), ...(error instanceof Fault && error.details) });
}

/**
 * Returns the `WWW-Authenticate` header of a 401; null for none. A script in a browser gets none: the browser would
 * show its own password dialogue over the page, and keep the password after the user signs out.
 */
function challengeFor(request: FastifyRequest): string | null {
  const { headers, protocol, host } = request;
  const isOfOtherSite = headers.origin !== undefined && headers.origin !== `${protocol}://${host}`;
  const isOfClient = 'x-logbook-client-info' in headers || 'x-olog-client-info' in headers;
  if (isOfOtherSite || isOfScript(headers) || isOfClient) return null;
  const { challenge } = request.context.route.config ?? {};
  return challenge === undefined ? 'Basic realm="logbook"' : challenge;
}

/** Replies to input that is not valid HTTP and therefore never reaches the application. */
export function replyToMalformedRequest(
  error: NodeJS.ErrnoException & { readonly rawPacket?: unknown },
  socket: Duplex,
): void {
  const received = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1', 0, 2_100) : '';
  const path = /^[A-Z]+ (\S+)/.exec(received)?.[1] ?? '';
  endWithError(socket, parserErrors[error.code ?? ''] ?? malformed, path);
}

const malformed = { status: 400, code: 'request.malformed', message: 'This is not a valid HTTP request.' };
const parserErrors: Readonly<Record<string, typeof malformed>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'request.headers-too-large',
    message: `The URL and headers are too long. ${describeLimit({ amount: '16 kB', setting: undefined, countedFor: 'each request' })}`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request.timeout',
    message: 'The request did not arrive in time; nothing was stored.',
  },
};

/** Refuses unknown expectations and tunnels with an error body; Node would refuse them without one. */
export function refuseUnsupported(app: FastifyInstance, server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const fault = new Fault(
      'unsupported-expectation',
      'request.expectation',
      'Only the expectation 100-continue is supported. Leave the Expect header out.',
    );
    // The next bytes from the client could be either the body or its next request.
    response.shouldKeepAlive = false;
    refuseUnroutable(app, request, response, fault);
  });
  server.on('connect', ({ url = '' }: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    endWithError(socket, { ...malformed, message: 'This service is not a proxy. Send requests to its own URLs.' }, url);
  });
}

const json = 'application/json; charset=utf-8';

function endWithError(socket: Duplex, described: typeof malformed, url: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(errorBody(described, url, undefined));
  socket.end(
    `HTTP/1.1 ${described.status} ${STATUS_CODES[described.status]}\r\nContent-Type: ${json}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
