import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';
import type { Admission } from '../admission/admission.js';
import type {} from '../admission/admit-requests.js';
import { isAwaitingContinue, sendContinue } from './deferred-continue.js';
import { bodyTooLarge, parseJson } from './json-body.js';
import { receiveBody } from './receive-body.js';
import type {} from './request-context.js';
import type {} from './route-config.js';

declare module './request-context.js' {
  interface RequestContext {
    /** SHA-256 of the JSON body; set only for a request with an idempotency key. */
    bodyDigest?: string;
  }
}

/** Maximum time for which the rest of a refused body is read, so that the client receives the response. */
const lingerMs = 30_000;

/** Time without data after which a body is refused. */
export const idleBodyMs = 30_000;

export interface BodyLimits {
  readonly maxJsonBytes: number;
  readonly maxRequestBytes: number;
  /** Bounds the bodies that arrive at the same time. */
  readonly admission: Pick<Admission, 'receive' | 'requireRoom'>;
  readonly idleMs?: number;
}

/** Reads JSON bodies within the limits of size and time. Bodies of other types are left to their routes, or refused. */
export function readBodies(
  app: FastifyInstance,
  { maxJsonBytes, maxRequestBytes, admission, idleMs = idleBodyMs }: BodyLimits,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    if (announcedBytes > maxJsonBytes) throw bodyTooLarge('maxEntrySize', maxJsonBytes);
    if (request.context.onBodyArrived) await admission.requireRoom(request, announcedBytes);
    sendContinue(request.raw);
    const body = await receiveBody(payload, {
      maxBytes: maxJsonBytes,
      idleMs,
      register: (onRefused) => admission.receive(request, onRefused),
    });
    await request.context.onBodyArrived?.(body.length);
    if ('idempotency-key' in request.headers)
      request.context.bodyDigest = createHash('sha256').update(body).digest('base64url');
    return parseJson(body);
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      throw new Fault(
        'unsupported-type',
        'request.content-encoding',
        'Compressed bodies are not supported. Send the body uncompressed.',
      );
    }
    if (Number(request.headers['content-length'] ?? 0) > maxRequestBytes)
      throw bodyTooLarge('maxRequestSize', maxRequestBytes);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // The next bytes on the connection may be the body or the next request, and the service cannot tell which.
    if (isAwaitingContinue(request.raw)) reply.header('connection', 'close');
    done(null, payload);
  });
}

/**
 * Reads and discards what the client is still sending after the response, for a limited time. Closing the connection
 * earlier would hide the response from the client.
 */
export function finishReading({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.socket.destroy(), lingerMs);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
  raw.resume();
}
