/** Length below which chunks are copied together: a buffer with one byte takes about a hundred bytes of memory. */
const shortChunkBytes = 4_096;
const bundleBytes = 16_384;

/** The chunks of a body, held in little more memory than the body itself. */
export class BodyChunks {
  private readonly chunks: Buffer[] = [];
  /** A first chunk that is short. Most bodies have no other chunk, and need no bundle. */
  private first: Buffer | undefined;
  private bundle: Buffer | undefined;
  private bundled = 0;

  add(chunk: Buffer): void {
    if (!this.bundle && !this.first && chunk.length < shortChunkBytes) {
      this.first = chunk;
      return;
    }
    const { first } = this;
    this.first = undefined;
    if (first) this.put(first);
    this.put(chunk);
  }

  /** Number of buffers that hold the received bytes. */
  get buffers(): number {
    return this.chunks.length + 1;
  }

  join(): Buffer {
    if (this.first && this.chunks.length === 0) return this.first;
    if (this.first) this.chunks.push(this.first);
    this.endBundle();
    return this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
  }

  private put(chunk: Buffer): void {
    if (chunk.length >= shortChunkBytes) {
      this.endBundle();
      this.chunks.push(chunk);
      return;
    }
    this.bundle ??= Buffer.allocUnsafeSlow(bundleBytes);
    if (this.bundled + chunk.length > bundleBytes) this.endBundle();
    chunk.copy(this.bundle, this.bundled);
    this.bundled += chunk.length;
  }

  private endBundle(): void {
    if (this.bundle && this.bundled > 0) this.chunks.push(Buffer.from(this.bundle.subarray(0, this.bundled)));
    this.bundled = 0;
  }
}
