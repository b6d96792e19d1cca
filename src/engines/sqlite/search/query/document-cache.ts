interface Extent {
  readonly start: number;
  readonly length: number;
}

/** Number of offers after which the earlier ones are forgotten: about as many as the cache has room for. */
const maxOffered = 4_096;

/**
 * Caches documents by entry id. They share one buffer, in which new documents overwrite the oldest ones: a separate
 * buffer for each would cause frequent garbage collections.
 */
export class DocumentCache {
  private readonly bytes: Uint8Array;
  /** Extents in the buffer by entry id, oldest first. */
  private readonly extents = new Map<number, Extent>();
  /** Start of the next document. */
  private end = 0;
  /** Ids offered recently, and those offered before them. */
  private offered = new Set<number>();
  private offeredBefore = new Set<number>();

  /** @param size in bytes; the system allocates memory when it is first written */
  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  /** Returns a document, which is valid until the next call of `set`. */
  get(id: number): Uint8Array | undefined {
    const extent = this.extents.get(id);
    return extent && this.bytes.subarray(extent.start, extent.start + extent.length);
  }

  /**
   * Stores a copy of a document if it was also offered recently. Most documents found by a search are not read again
   * soon, and copying them would take longer than it saves.
   */
  offer(id: number, document: Uint8Array): void {
    if (this.offered.has(id) || this.offeredBefore.has(id)) {
      this.set(id, document);
      return;
    }
    if (this.offered.size === maxOffered) {
      this.offeredBefore = this.offered;
      this.offered = new Set();
    }
    this.offered.add(id);
  }

  /** Stores a copy of a document, unless it would fill much of the cache. */
  set(id: number, document: Uint8Array): void {
    this.extents.delete(id);
    const { length } = document;
    if (length > this.bytes.length / 8) return;
    if (this.end + length > this.bytes.length) {
      this.forgetOldest(({ start }) => start >= this.end);
      this.end = 0;
    }
    const start = this.end;
    this.end += length;
    this.forgetOldest((oldest) => oldest.start < this.end && oldest.start + oldest.length > start);
    this.bytes.set(document, start);
    this.extents.set(id, { start, length });
  }

  delete(id: number): void {
    this.extents.delete(id);
  }

  clear(): void {
    this.extents.clear();
    this.end = 0;
  }

  private forgetOldest(isInTheWay: (extent: Extent) => boolean): void {
    for (const [id, extent] of this.extents) {
      if (!isInTheWay(extent)) return;
      this.extents.delete(id);
    }
  }
}
