import type { SubscriberSetting } from '../config/subscribers/subscriber-keys.js';
import type { Clock } from '../kernel/clock.js';
import type { Sender } from '../notifications/subscribers/sender.port.js';
import type { Subscriber } from '../notifications/subscribers/subscriber.js';

const maxChangesTold = { webhook: 50, email: 100, chat: 20 } as const;

/** A subscriber from its configuration, with the engine that tells it; an engine that nobody needs is not loaded. */
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
    batchMs: ms(setting.batchWindowSeconds),
    maxChanges: maxChangesTold[kind],
    retryMs: ms(setting.initialRetryDelaySeconds),
    maxRetryMs: ms(setting.maxRetryDelaySeconds),
    giveUpMs: ms(setting.maxDeliveryAgeSeconds),
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
  // The rest of an address is as good as a password in many chats.
  return { subscriber: { ...subscriber, target: url.origin }, sender };
}
