/** Length below which chunks are copied together: the buffer of a single byte takes a hundred times its memory. */
const shortChunkBytes = 4_096;
const bundleBytes = 16_384;

/** The chunks of a body, in little more memory than the body takes. */
export class BodyChunks {
  private readonly chunks: Buffer[] = [];
  private readonly bundle = Buffer.alloc(bundleBytes);
  private bundled = 0;

  add(chunk: Buffer): void {
    if (chunk.length >= shortChunkBytes) {
      this.endBundle();
      this.chunks.push(chunk);
      return;
    }
    if (this.bundled + chunk.length > bundleBytes) this.endBundle();
    chunk.copy(this.bundle, this.bundled);
    this.bundled += chunk.length;
  }

  /** How many buffers hold what has arrived. */
  get buffers(): number {
    return this.chunks.length + 1;
  }

  join(): Buffer {
    this.endBundle();
    return this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
  }

  private endBundle(): void {
    if (this.bundled > 0) this.chunks.push(Buffer.from(this.bundle.subarray(0, this.bundled)));
    this.bundled = 0;
  }
}
