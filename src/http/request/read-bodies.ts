import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.js';
import { bodyTooLarge, readJsonBody } from './json-body.js';

/** How long the rest of a refused body is read, so that the client receives the response. */
const lingerMs = 30_000;

/** Reads JSON bodies within the size limits. Other bodies are left to their routes, or refused. */
export function readBodies(
  app: FastifyInstance,
  { maxJsonBytes, maxRequestBytes }: { readonly maxJsonBytes: number; readonly maxRequestBytes: number },
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: Readable) => {
    const length = request.headers['content-length'];
    return readJsonBody(payload, maxJsonBytes, length === undefined ? undefined : Number(length));
  });
  app.addHook('preParsing', async (request) => {
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
