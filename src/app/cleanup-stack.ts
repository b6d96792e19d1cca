type Close = () => Promise<unknown> | unknown;

/** Closes what was opened, in the opposite order. */
export class CleanupStack {
  private readonly pending: Close[] = [];

  defer(close: Close): void {
    this.pending.push(close);
  }

  /** Closes the resource at the end; returns it. */
  use<T extends { close(): Promise<unknown> | unknown }>(resource: T): T {
    this.defer(() => resource.close());
    return resource;
  }

  /**
   * Runs `work`; when it throws, closes everything that was opened so far.
   * @throws what `work` threw; an error of the closing is less important and is dropped
   */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.close().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Closes everything, last opened first.
   * @throws the last error, after everything else is closed
   */
  async close(): Promise<void> {
    let problem: unknown;
    for (const close of this.pending.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        problem = error;
      }
    }
    if (problem !== undefined) throw problem;
  }
}
