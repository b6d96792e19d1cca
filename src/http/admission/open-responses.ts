export interface OpenResponseLimits {
  readonly ofOneClient: number;
  /** Total number of open responses at or above which each client may have only an equal share. */
  readonly ofAllClients: number;
  /**
   * Maximum number of downloads of all clients together; undefined: downloads are limited only like other responses.
   */
  readonly downloads?: number | undefined;
}

/** Counts the responses of each client that are produced while the client reads them: they hold files and memory. */
export class OpenResponses {
  private readonly counts = new Map<string, number>();
  private total = 0;
  private downloads = 0;

  constructor(readonly limits: OpenResponseLimits) {}

  /** Counts a response. Returns a function to be called once, at its end; undefined when the client has too many. */
  open(client: string, { isDownload = false } = {}): (() => void) | undefined {
    const count = this.counts.get(client) ?? 0;
    if (count >= this.maxOf(count) || (isDownload && count >= this.freeDownloads)) return undefined;
    this.counts.set(client, count + 1);
    this.total += 1;
    if (isDownload) this.downloads += 1;
    return () => {
      this.total -= 1;
      if (isDownload) this.downloads -= 1;
      const left = (this.counts.get(client) ?? 0) - 1;
      if (left > 0) this.counts.set(client, left);
      else this.counts.delete(client);
    };
  }

  /**
   * Number of downloads that are still free. A client with as many open responses gets no further download, so half of
   * the free ones are left to others.
   */
  private get freeDownloads(): number {
    return (this.limits.downloads ?? Number.POSITIVE_INFINITY) - this.downloads;
  }

  /** Maximum number of responses of a client that has `count` open ones. */
  private maxOf(count: number): number {
    const { ofOneClient, ofAllClients } = this.limits;
    if (this.total < ofAllClients) return ofOneClient;
    const clients = this.counts.size + (count === 0 ? 1 : 0);
    return Math.min(ofOneClient, Math.max(1, Math.floor(ofAllClients / clients)));
  }
}
