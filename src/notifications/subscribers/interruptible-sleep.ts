/** Waiting that ends early when there is reason to. */
export class InterruptibleSleep {
  private forNews = false;
  private wake: () => void = () => undefined;

  /**
   * @param ms how long at most; undefined: until it is ended
   * @param forNews whether news end it
   */
  async take(ms: number | undefined, forNews: boolean): Promise<void> {
    this.forNews = forNews;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, ms).unref();
    });
    clearTimeout(timer);
    this.forNews = false;
    this.wake = () => undefined;
  }

  end(): void {
    this.wake();
  }

  news(): void {
    if (this.forNews) this.wake();
  }
}
