interface Waiting {
  readonly pieces: readonly Buffer[];
  readonly cut: () => void;
}

/**
 * What is held for the clients of all streams until they take it. When it is too much, those are cut off that have
 * taken nothing for longest; they go on where they were.
 */
export class UnsentBytes {
  /** Longest first. */
  private readonly waiting = new Set<Waiting>();
  /** How many wait for each: streams send the same bytes to many. */
  private readonly holders = new Map<Buffer, number>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Returns what to call when the client has taken it, or has gone; `cut` does not call it. */
  hold(pieces: readonly Buffer[], cut: () => void): () => void {
    const newest = { pieces, cut };
    this.waiting.add(newest);
    for (const piece of pieces) {
      const holders = this.holders.get(piece) ?? 0;
      if (holders === 0) this.bytes += piece.length;
      this.holders.set(piece, holders + 1);
    }
    for (const longest of this.waiting) {
      if (this.bytes <= this.maxBytes || longest === newest) break;
      this.release(longest);
      longest.cut();
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
