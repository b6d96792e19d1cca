import { createHmac } from 'node:crypto';
import type { Clock } from '../../kernel/clock.js';
import type { DeliveredChange, Delivery, Outcome, Sender } from '../../notifications/subscribers/sender.port.js';
import { postJson, type Resolve, resolveName, type Target } from './post-json.js';

export const userAgent = 'Logbook';

/** Posts deliveries as JSON with a signature, which proves their origin and the time of sending. */
export class WebhookSender implements Sender {
  constructor(
    private readonly target: Target & { readonly secret: string },
    private readonly deps: { readonly clock: Clock; readonly traceHeaders?: () => Readonly<Record<string, string>> },
    private readonly resolve: Resolve = resolveName,
  ) {}

  send({ id, subscriber, changes }: Delivery, signal: AbortSignal): Promise<Outcome> {
    const body = encodeDelivery(id, subscriber, changes);
    const seconds = Math.floor(this.deps.clock.nowMs() / 1_000);
    const headers = {
      ...this.deps.traceHeaders?.(),
      'user-agent': userAgent,
      'x-logbook-delivery': id,
      'x-logbook-signature': `t=${seconds},v1=${sign(body, seconds, this.target.secret)}`,
    };
    return postJson(this.target, { body, headers }, signal, this.resolve);
  }
}

/** Encodes a delivery. The stored JSON of each entry is copied as it is. */
function encodeDelivery(deliveryId: string, subscriber: string, changes: readonly DeliveredChange[]): Buffer {
  const chunks: Uint8Array[] = [Buffer.from(`${JSON.stringify({ deliveryId, subscriber }).slice(0, -1)},"changes":[`)];
  for (const [index, { sequence, kind, link, stored }] of changes.entries()) {
    const fields = JSON.stringify({ sequence, kind, link }).slice(0, -1);
    chunks.push(Buffer.from(`${index === 0 ? '' : ','}${fields},"entry":`), stored.json, Buffer.from('}'));
  }
  return Buffer.concat([...chunks, Buffer.from(']}')]);
}

function sign(body: Uint8Array, seconds: number, secret: string): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}
