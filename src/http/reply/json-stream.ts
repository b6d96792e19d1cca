import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type {} from '../admission/admit-requests.js';
import { clientOfRequest } from '../admission/client.js';
import { clientDisconnected } from './client-disconnect.js';
import { drained } from './drained.js';

/** Number of bytes of a response that are produced ahead of the client. */
const aheadBytes = 65_536;

/**
 * Returns a response body that is produced while the client reads it. Yields to the event loop after each chunk.
 * @param chunks none of them empty
 * @throws Fault busy `request.too-many-open`
 */
export function streamChunks(reply: FastifyReply, chunks: AsyncIterable<Uint8Array>): Readable {
  const { admission } = reply.server;
  admission.openResponse(reply);
  const disconnected = clientDisconnected(reply);
  const client = clientOfRequest(reply.request);
  const onDemand = async function* () {
    for await (const chunk of chunks) {
      yield chunk;
      await admission.turns.next(client);
      await drained(reply.raw, disconnected);
    }
  };
  return Readable.from(onDemand(), { objectMode: false, highWaterMark: aheadBytes });
}

/**
 * Sends JSON that is produced while the client reads it. A result shorter than `aheadBytes` is sent as a whole, and an
 * error in the first `aheadBytes` becomes an error response.
 */
export async function sendJsonChunks(reply: FastifyReply, chunks: AsyncIterable<Uint8Array>): Promise<FastifyReply> {
  const iterator = chunks[Symbol.asyncIterator]();
  reply.type('application/json; charset=utf-8');
  const head: Uint8Array[] = [];
  let headBytes = 0;
  while (headBytes < aheadBytes) {
    const next = await iterator.next();
    if (next.done) return reply.send(Buffer.concat(head));
    head.push(next.value);
    headBytes += next.value.byteLength;
  }
  const all = async function* () {
    yield* head.splice(0);
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  let body: Readable;
  try {
    body = streamChunks(reply, all());
  } catch (error) {
    await iterator.return?.();
    throw error;
  }
  return reply.send(body);
}
