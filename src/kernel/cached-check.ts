/** Runs a costly check that anyone may request, and reuses the result for a while. */
export class CachedCheck<T> {
  private latest: { readonly atMs: number; readonly answer: Promise<T> } | undefined;

  constructor(
    private readonly validMs: number,
    private readonly ask: () => Promise<T>,
  ) {}

  read(): Promise<T> {
    const nowMs = performance.now();
    if (!this.latest || nowMs - this.latest.atMs >= this.validMs) this.latest = { atMs: nowMs, answer: this.ask() };
    return this.latest.answer;
  }
}
