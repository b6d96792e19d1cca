/** A sleep that can be ended early. Only one sleep may run at a time. */
export class InterruptibleSleep {
  private wakesOnChange = false;
  private end: () => void = () => undefined;

  /**
   * Resolves after `ms` milliseconds, or when the sleep is ended; when `ms` is infinite, only when it is ended.
   * @param wakesOnChange whether `wake` ends it; `interrupt` always does
   */
  async sleep(ms: number, wakesOnChange: boolean): Promise<void> {
    this.wakesOnChange = wakesOnChange;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.end = resolve;
      if (ms < Number.POSITIVE_INFINITY) timer = setTimeout(resolve, ms).unref();
    });
    clearTimeout(timer);
    this.wakesOnChange = false;
    this.end = () => undefined;
  }

  /** Ends any sleep. */
  interrupt(): void {
    this.end();
  }

  /** Reports a change; ends the sleep if it was started to wake on changes. */
  wake(): void {
    if (this.wakesOnChange) this.end();
  }
}
