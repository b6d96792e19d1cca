const logIntervalMs = 5_000;
const lineIntervalMs = 100;
const barWidth = 24;

/** Shows the progress of a command: as one changing line in a terminal, and as occasional lines elsewhere. */
export class ProgressLine {
  private lastMs = Number.NEGATIVE_INFINITY;
  private isOpen = false;

  constructor(
    private readonly output: NodeJS.WriteStream = process.stderr,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @param share completed share of the work, from 0 to 1; undefined when unknown */
  show(text: string, share?: number): void {
    const { isTTY } = this.output;
    if (this.nowMs() - this.lastMs < (isTTY ? lineIntervalMs : logIntervalMs)) return;
    this.lastMs = this.nowMs();
    const bar = share === undefined ? '' : `${toBar(share)} `;
    if (!isTTY) {
      this.output.write(`${text}\n`);
      return;
    }
    this.isOpen = true;
    this.output.write(`\r\u001b[K${`${bar}${text}`.slice(0, Math.max(20, (this.output.columns ?? 80) - 1))}`);
  }

  /** Ends the line; the next text is shown immediately. */
  end(): void {
    if (this.isOpen) this.output.write('\n');
    this.isOpen = false;
    this.lastMs = Number.NEGATIVE_INFINITY;
  }
}

function toBar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
}
