import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

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
