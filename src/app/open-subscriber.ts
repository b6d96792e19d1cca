import type { SubscriberSetting } from '../config/subscribers/subscriber-keys.js';
import type { Clock } from '../kernel/clock.js';
import type { Sender } from '../notifications/subscribers/sender.port.js';
import type { Subscriber } from '../notifications/subscribers/subscriber.js';

const maxChangesPerDelivery = { webhook: 50, email: 100, chat: 20 } as const;

/** Opens a configured subscriber with its sender. A sender that no subscriber uses is not loaded. */
export async function openSubscriber(
  setting: SubscriberSetting,
  clock: Clock,
): Promise<{ subscriber: Subscriber; sender: Sender }> {
  const { name, kind, search, events } = setting;
  const ms = (seconds: number) => Math.ceil(seconds * 1_000);
  const timeoutMs = ms(setting.timeoutSeconds);
  const subscriber = {
    name,
    kind,
    search,
    events,
    batchWindowMs: ms(setting.batchWindowSeconds),
    maxChanges: maxChangesPerDelivery[kind],
    initialRetryDelayMs: ms(setting.initialRetryDelaySeconds),
    maxRetryDelayMs: ms(setting.maxRetryDelaySeconds),
    maxDeliveryAgeMs: ms(setting.maxDeliveryAgeSeconds),
  };
  if (setting.kind === 'email') {
    const { SmtpSender } = await import('../integrations/smtp/smtp-sender.js');
    const { to, smtpFrom: from, smtpUrl: url } = setting;
    return {
      subscriber: { ...subscriber, target: to.join(', ') },
      sender: new SmtpSender({ url, from, to, timeoutMs }),
    };
  }
  const { url, allowPrivateAddresses: allowPrivate, allowAddresses: allowed } = setting;
  const target = { url, timeoutMs, allowPrivate, allowed };
  const sender =
    setting.kind === 'webhook'
      ? new (await import('../integrations/webhook/webhook-sender.js')).WebhookSender(
          { ...target, secret: setting.secret },
          clock,
        )
      : new (await import('../integrations/webhook/chat-sender.js')).ChatSender({ ...target, text: setting.text });
  // Only the origin: the path of a chat webhook is often a secret.
  return { subscriber: { ...subscriber, target: url.origin }, sender };
}
