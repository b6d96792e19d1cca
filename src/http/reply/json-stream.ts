import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { clientDisconnected } from './client-disconnect.js';
import { drained } from './drained.js';

/** How much of a response is produced ahead of the client. */
const aheadBytes = 65_536;

/**
 * A response body that is produced while the client reads it, and leaves the event loop to others after each chunk.
 * @param chunks none of them empty
 * @param whenDrained resolves when the response can take more data
 */
export function streamChunks(chunks: AsyncIterable<Uint8Array>, whenDrained: () => Promise<void>): Readable {
  const onDemand = async function* () {
    for await (const chunk of chunks) {
      yield chunk;
      await nextTurn();
      await whenDrained();
    }
  };
  return Readable.from(onDemand(), { objectMode: false, highWaterMark: aheadBytes });
}

/**
 * Sends JSON that is produced while the client reads it. What fits into the first chunks is sent as a whole, and an
 * error before them becomes an error response.
 */
export async function sendJsonChunks(reply: FastifyReply, chunks: AsyncIterable<Uint8Array>): Promise<FastifyReply> {
  const disconnected = clientDisconnected(reply);
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
  return reply.send(streamChunks(all(), () => drained(reply.raw, disconnected)));
}
