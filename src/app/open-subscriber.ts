import type { SubscriberKind, SubscriberSetting } from '../config/subscribers/subscriber-keys.js';
import type { Clock } from '../kernel/clock.js';
import { noTracing, type Tracing } from '../kernel/tracing.js';
import type { Sender } from '../notifications/subscribers/sender.port.js';
import type { Subscriber } from '../notifications/subscribers/subscriber.js';
import { versionName } from './observe/note-versions.js';

const maxChangesPerDelivery = { webhook: 50, email: 100, chat: 20 } as const satisfies Record<SubscriberKind, number>;

const toMs = (seconds: number) => Math.ceil(seconds * 1_000);

interface SubscriberDeps {
  readonly clock: Clock;
  readonly tracing: Tracing;
  /** IANA time zone of the times in mails. */
  readonly zone: string;
}

interface OpenedSubscriber {
  readonly subscriber: Subscriber;
  readonly sender: Sender;
}

/** Opens a subscriber and its sender, whose delivery attempts are traced. */
export async function openSubscriber(setting: SubscriberSetting, deps: SubscriberDeps): Promise<OpenedSubscriber> {
  const { tracing } = deps;
  const { subscriber, sender } = await openSender(setting, deps);
  if (tracing === noTracing) return { subscriber, sender };
  const { name, kind } = subscriber;
  const send: Sender['send'] = (delivery, signal) => {
    const attributes = { 'logbook.subscriber': name, 'logbook.changes': delivery.changes.length };
    const causes = delivery.changes.map(({ stored }) => versionName({ id: stored.id, version: stored.revision }));
    return tracing.inTrace(`deliver by ${kind}`, attributes, causes, () => sender.send(delivery, signal));
  };
  return { subscriber, sender: { send } };
}

/** Imports only the sender for the configured kind. */
async function openSender(
  setting: SubscriberSetting,
  { clock, tracing, zone }: SubscriberDeps,
): Promise<OpenedSubscriber> {
  const timeoutMs = toMs(setting.timeoutSeconds);
  if (setting.kind === 'email') {
    const { SmtpSender } = await import('../integrations/smtp/smtp-sender.js');
    const { to, smtpFrom: from, smtpUrl: url, caFile: caCertificates } = setting;
    return {
      subscriber: toSubscriber(setting, to.join(', ')),
      sender: new SmtpSender({ url, from, to, timeoutMs, caCertificates, zone }),
    };
  }
  const { url, allowPrivateAddresses: allowPrivate, allowAddresses: allowed } = setting;
  const target = { url, timeoutMs, allowPrivate, allowed, caCertificates: setting.caFile };
  // Only the origin is shown, because many chat services accept posts from any client that knows the whole URL.
  const subscriber = toSubscriber(setting, url.origin);
  if (setting.kind === 'webhook') {
    const traceHeaders = () => tracing.outgoingHeaders();
    const { WebhookSender } = await import('../integrations/webhook/webhook-sender.js');
    return { subscriber, sender: new WebhookSender({ ...target, secret: setting.secret }, { clock, traceHeaders }) };
  }
  // A kind without a sender does not compile.
  setting.kind satisfies 'chat';
  const { ChatSender } = await import('../integrations/webhook/chat-sender.js');
  return { subscriber, sender: new ChatSender({ ...target, text: setting.text }) };
}

function toSubscriber(setting: SubscriberSetting, target: string): Subscriber {
  const { name, kind, search, events } = setting;
  return {
    name,
    kind,
    target,
    search,
    events,
    batchWindowMs: toMs(setting.batchWindowSeconds),
    maxChanges: maxChangesPerDelivery[kind],
    initialRetryDelayMs: toMs(setting.initialRetryDelaySeconds),
    maxRetryDelayMs: toMs(setting.maxRetryDelaySeconds),
    maxDeliveryAgeMs: toMs(setting.maxDeliveryAgeSeconds),
  };
}
