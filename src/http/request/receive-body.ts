import type { Readable } from 'node:stream';
import type { Fault } from '../../kernel/fault.js';
import type { ArrivingBody } from '../admission/arriving-bodies.js';
import { BodyChunks } from './body-chunks.js';
import { bodyAborted, bodyStalled, bodyTooLarge } from './json-body.js';

export interface ReceiveOptions {
  readonly maxBytes: number;
  /** Time without data after which the body is refused. */
  readonly idleMs: number;
  /** Registers the body as arriving. Calls `onRefused` if it must be refused to make room for others. */
  readonly register: (onRefused: (fault: Fault) => void) => Promise<ArrivingBody>;
}

/**
 * Resolves to the body when it has arrived completely. A refused body is not destroyed, because the client reads the
 * response on the same connection.
 * @throws Fault too-large `request.too-large`; timeout `request.timeout`; busy `request.too-many-arriving`; invalid
 *   `request.aborted`
 */
export async function receiveBody(body: Readable, { maxBytes, idleMs, register }: ReceiveOptions): Promise<Buffer> {
  let refuse: (fault: Fault) => void = () => undefined;
  const arriving = await register((fault) => refuse(fault));
  let stopListening = () => {};
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      refuse = reject;
      const chunks = new BodyChunks();
      let size = 0;
      const idle = setTimeout(() => reject(bodyStalled(idleMs)), idleMs);
      const take = (chunk: Buffer) => {
        idle.refresh();
        size += chunk.length;
        chunks.add(chunk);
        if (size > maxBytes) reject(bodyTooLarge('maxEntrySize', maxBytes));
        else arriving.add(chunk.length);
      };
      const finish = () => resolve(chunks.join());
      const abort = (error?: Error) => {
        // A body also closes after it has arrived completely.
        if (!body.readableEnded) reject(bodyAborted(error));
      };
      body.on('data', take).once('end', finish).once('error', abort).once('close', abort);
      stopListening = () => {
        clearTimeout(idle);
        body.pause().off('data', take).off('end', finish).off('error', abort).off('close', abort);
      };
      if (body.destroyed) abort();
    });
  } finally {
    stopListening();
    arriving.end();
  }
}
