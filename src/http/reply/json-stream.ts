import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { clientDisconnected } from './client-disconnect.js';
import { drained } from './drained.js';

/** So much is made before anybody wants it. */
const aheadBytes = 65_536;

/**
 * An answer that is made while its client takes it.
 * @param pieces none of them empty
 * @param taken resolves when the client has taken what was sent
 */
export function streamChunks(pieces: AsyncIterable<Uint8Array>, taken: () => Promise<void>): Readable {
  const whenWanted = async function* () {
    for await (const piece of pieces) {
      yield piece;
      await nextTurn();
      await taken();
    }
  };
  return Readable.from(whenWanted(), { objectMode: false, highWaterMark: aheadBytes });
}

/** Sends JSON that is produced while the client reads it. */
export function sendJsonChunks(reply: FastifyReply, chunks: AsyncIterable<Uint8Array>): FastifyReply {
  const disconnected = clientDisconnected(reply);
  const body = streamChunks(chunks, () => drained(reply.raw, disconnected));
  return reply.type('application/json; charset=utf-8').send(body);
}
