import type { Log } from '../../kernel/log.js';
import type { Undelivered } from './retry-or-dead-letter.js';

/** Logs the outcomes of the deliveries to one subscriber. */
export class DeliveryLog {
  constructor(
    private readonly log: Log,
    private readonly subscriber: string,
  ) {}

  undelivered({ deferred, deadLetters }: Undelivered): void {
    for (const { deliveryId, recipient, reason } of deadLetters) {
      this.warn({ deliveryId, recipient, reason }, 'delivery failed permanently; moved to dead letters');
    }
    for (const { deliveryId, recipient, reason } of deferred) this.willRetry(deliveryId, reason, recipient);
  }

  willRetry(deliveryId: string, reason: string, recipient?: string): void {
    this.warn({ deliveryId, recipient, reason }, 'delivery attempt failed; will retry');
  }

  paused(err: unknown): void {
    this.warn({ err }, 'subscriber paused: internal error; will retry');
  }

  private warn(details: object, message: string): void {
    this.log.warn({ subscriber: this.subscriber, ...details }, message);
  }
}
