import { createHmac } from 'node:crypto';
import type { Clock } from '../../kernel/clock.js';
import type { Delivery, Outcome, Sender } from '../../notifications/subscribers/sender.port.js';
import { postJson, type Resolve, resolveName, type Target } from './post-json.js';

export const userAgent = 'Logbook';

/** Posts deliveries as JSON, signed so that the receiver knows whom they are from, and when they were sent. */
export class WebhookSender implements Sender {
  constructor(
    private readonly target: Target & { readonly secret: string },
    private readonly clock: Clock,
    private readonly resolve: Resolve = resolveName,
  ) {}

  send({ id, subscriber, changes }: Delivery, signal: AbortSignal): Promise<Outcome> {
    const body = JSON.stringify({
      deliveryId: id,
      subscriber,
      changes: changes.map(({ sequence, kind, entry }) => ({ sequence, kind, entry })),
    });
    const seconds = Math.floor(this.clock.nowMs() / 1_000);
    const headers = {
      'user-agent': userAgent,
      'x-logbook-delivery': id,
      'x-logbook-signature': `t=${seconds},v1=${signatureOf(body, seconds, this.target.secret)}`,
    };
    return postJson(this.target, { body, headers }, signal, this.resolve);
  }
}

function signatureOf(body: string, seconds: number, secret: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
