export interface OpenResponseLimits {
  readonly ofOneClient: number;
  /** When all clients together have as many, a client may not have more than an equal share. */
  readonly ofAllClients: number;
}

/** Counts the responses of each client that are produced while the client reads them: they hold files and memory. */
export class OpenResponses {
  private readonly counts = new Map<string, number>();
  private total = 0;

  constructor(readonly limits: OpenResponseLimits) {}

  /** Counts a response. Returns a function to be called once, at its end; undefined when the client has too many. */
  open(client: string): (() => void) | undefined {
    const count = this.counts.get(client) ?? 0;
    if (count >= this.maxOf(count)) return undefined;
    this.counts.set(client, count + 1);
    this.total += 1;
    return () => {
      this.total -= 1;
      const left = (this.counts.get(client) ?? 0) - 1;
      if (left > 0) this.counts.set(client, left);
      else this.counts.delete(client);
    };
  }

  /** How many responses a client may have that has `count` of them. */
  private maxOf(count: number): number {
    const { ofOneClient, ofAllClients } = this.limits;
    if (this.total < ofAllClients) return ofOneClient;
    const clients = this.counts.size + (count === 0 ? 1 : 0);
    return Math.min(ofOneClient, Math.max(1, Math.floor(ofAllClients / clients)));
  }
}
