/** What is to be closed at the end, in the order in which it was opened. */
export class CleanupStack {
  private readonly cleanup: (() => Promise<void> | void)[] = [];

  push(close: () => Promise<void> | void): void {
    this.cleanup.push(close);
  }

  /**
   * Closes everything, the last first.
   * @throws the last problem, when all the others are closed
   */
  async closeAll(): Promise<void> {
    let problem: unknown;
    for (const close of this.cleanup.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        problem = error;
      }
    }
    if (problem !== undefined) throw problem;
  }
}
