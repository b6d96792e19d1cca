interface Seen {
  readonly key: string;
  atMs: number;
}

/** Tracks whether a client is currently the only one. */
export class RecentClients {
  private newest: Seen | undefined;
  /** The newest request of any client other than that of `newest`. */
  private other: Seen | undefined;

  /** @param now a monotonic clock in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes the client of a request. Must be called for each request. */
  note(key: string): void {
    if (this.newest?.key !== key) {
      this.other = this.newest;
      this.newest = { key, atMs: 0 };
    }
    this.newest.atMs = this.now();
  }

  /** Returns whether a client other than this one sent a request within the last `withinMs`. */
  hasOther(key: string, withinMs: number): boolean {
    const other = this.newest?.key === key ? this.other : this.newest;
    return other !== undefined && this.now() - other.atMs <= withinMs;
  }
}
