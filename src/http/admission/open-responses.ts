/** Counts the responses of each client that are produced while the client reads them: they hold files and memory. */
export class OpenResponses {
  private readonly counts = new Map<string, number>();

  /** @param max of one client */
  constructor(readonly max: number) {}

  /** Counts a response. Returns a function to be called once, at its end; undefined when the client has too many. */
  open(client: string): (() => void) | undefined {
    const count = this.counts.get(client) ?? 0;
    if (count >= this.max) return undefined;
    this.counts.set(client, count + 1);
    return () => {
      const left = (this.counts.get(client) ?? 0) - 1;
      if (left > 0) this.counts.set(client, left);
      else this.counts.delete(client);
    };
  }
}
