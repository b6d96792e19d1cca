import { createHash } from 'node:crypto';

/** Passes a stream through, and computes its length and SHA-256. */
export function countingHash(onChunk?: (bytes: number) => void) {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        onChunk?.(bytes);
        yield chunk;
      }
    },
    bytes: () => bytes,
    /** Returns the digest in lower-case hex. */
    digest: () => hash.digest('hex'),
  };
}
