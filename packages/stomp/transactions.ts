import type { Frame } from './frame.js';
import { sessionLimits } from './negotiation.js';
import { inKilobytes, limitError, quoted, StompError } from './stomp-error.js';

/** The open transactions of one client: SEND frames that wait for COMMIT. */
export class Transactions {
  private readonly open = new Map<string, Frame[]>();

  /** @throws StompError when the transaction is already open, or too many are open */
  begin(name: string): void {
    if (this.open.has(name)) throw new StompError(`Transaction ${quoted(name)} is already open.`);
    if (this.open.size >= sessionLimits.transactions) {
      throw limitError(
        'There are too many open transactions.',
        `${sessionLimits.transactions} transactions`,
        'each connection',
      );
    }
    this.open.set(name, []);
  }

  /** @throws StompError when it is not open, or the frames of all transactions exceed the limits */
  add(name: string, frame: Frame): void {
    this.find(name).push(frame);
    const frames = [...this.open.values()].flat();
    const bytes = frames.reduce((sum, { body }) => sum + body.length, 0);
    if (bytes > sessionLimits.waitingBytes || frames.length > sessionLimits.transactionFrames) {
      throw limitError(
        'The open transactions are too large.',
        `${sessionLimits.transactionFrames} frames and ${inKilobytes(sessionLimits.waitingBytes)}`,
        'each connection',
      );
    }
  }

  /**
   * Ends the transaction and returns its frames.
   * @throws StompError when it is not open
   */
  end(name: string): readonly Frame[] {
    const frames = this.find(name);
    this.open.delete(name);
    return frames;
  }

  private find(name: string): Frame[] {
    const frames = this.open.get(name);
    if (!frames) throw new StompError(`Transaction ${quoted(name)} is not open.`);
    return frames;
  }
}
