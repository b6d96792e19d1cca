interface Waiting {
  readonly pieces: readonly Buffer[];
  readonly terminate: () => void;
}

/**
 * A budget for the bytes that are buffered for the clients of all streams. When it is exceeded, the clients that have
 * waited longest are disconnected; they can resume from their position.
 */
export class UnsentBytes {
  /** Clients with unread bytes, in the order in which they began to wait. */
  private readonly waiting = new Set<Waiting>();
  /** Number of waiting clients for each piece, because streams send the same bytes to many clients. */
  private readonly holders = new Map<Buffer, number>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /**
   * Counts the pieces. The caller must call the returned function when the client has read them, or has disconnected.
   * @param terminate disconnects the client, whose pieces are no longer counted at that time
   */
  hold(pieces: readonly Buffer[], terminate: () => void): () => void {
    const newest = { pieces, terminate };
    this.waiting.add(newest);
    for (const piece of pieces) {
      const holders = this.holders.get(piece) ?? 0;
      if (holders === 0) this.bytes += piece.length;
      this.holders.set(piece, holders + 1);
    }
    for (const longest of this.waiting) {
      if (this.bytes <= this.maxBytes || longest === newest) break;
      this.release(longest);
      longest.terminate();
    }
    return () => this.release(newest);
  }

  private release(one: Waiting): void {
    if (!this.waiting.delete(one)) return;
    for (const piece of one.pieces) {
      const holders = (this.holders.get(piece) ?? 0) - 1;
      if (holders > 0) this.holders.set(piece, holders);
      else {
        this.holders.delete(piece);
        this.bytes -= piece.length;
      }
    }
  }
}
