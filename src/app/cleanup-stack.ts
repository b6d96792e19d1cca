type Close = () => Promise<unknown> | unknown;

/** Closes resources in the reverse order of their opening. */
export class CleanupStack {
  private readonly pending: Close[] = [];

  defer(close: Close): void {
    this.pending.push(close);
  }

  /** Returns the resource, and closes it at the end. */
  use<T extends { close(): Promise<unknown> | unknown }>(resource: T): T {
    this.defer(() => resource.close());
    return resource;
  }

  /**
   * Runs `work`. If it throws, closes everything that was opened so far.
   * @throws the error of `work`; errors of the closing are less important and are dropped
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
   * Closes everything, in reverse order.
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
