/** Maximum number of files that are remembered. Each pass tries all other files. */
const maxRemembered = 100_000;
const defaultFirstRetryMs = 60_000;
const maxRetryMs = 86_400_000;

/**
 * Files that could not be read. A pass retries all of them together, at intervals that double until some of them can be
 * read.
 */
export class UnreadFiles {
  private readonly checksums = new Set<string>();
  private retryMs: number;
  private retryAtMs = Number.POSITIVE_INFINITY;
  private reported = 0;
  /** Number of files that the current pass retries; undefined: this pass retries none. */
  private retried: number | undefined;

  constructor(private readonly firstRetryMs = defaultFirstRetryMs) {
    this.retryMs = firstRetryMs;
  }

  get count(): number {
    return Math.max(this.checksums.size, this.retried ?? 0);
  }

  /** Whether it is time to retry the files. */
  get isDue(): boolean {
    return performance.now() >= this.retryAtMs;
  }

  beginPass(): void {
    this.retried = this.isDue ? this.checksums.size : undefined;
    if (this.retried !== undefined) this.checksums.clear();
  }

  /** Whether the current pass omits a file. */
  has(checksum: string): boolean {
    return this.checksums.has(checksum);
  }

  add(checksum: string): void {
    if (this.checksums.size < maxRemembered) this.checksums.add(checksum);
    // Set here and not at the end of the pass, so that it applies even if the pass fails.
    this.retryAtMs = Math.min(this.retryAtMs, performance.now() + this.retryMs);
  }

  /**
   * Must be called at the end of a complete pass.
   * @returns `files`: number of unread files, if it has grown since the last complete pass; `retryMs`: milliseconds
   *   until they are retried, if there are any
   */
  endPass(): { readonly files: number | undefined; readonly retryMs: number | undefined } {
    const { size } = this.checksums;
    const isUnchanged = this.retried !== undefined && size >= this.retried;
    if (this.retried !== undefined) {
      this.retryMs = isUnchanged ? Math.min(this.retryMs * 2, maxRetryMs) : this.firstRetryMs;
      this.retryAtMs = performance.now() + this.retryMs;
    }
    if (size === 0) this.retryAtMs = Number.POSITIVE_INFINITY;
    const files = size > this.reported ? size : undefined;
    this.reported = size;
    this.retried = undefined;
    const retryMs = size === 0 ? undefined : Math.max(0, this.retryAtMs - performance.now());
    return { files, retryMs };
  }
}
