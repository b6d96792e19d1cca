import type { Undelivered } from './retry-or-dead-letter.js';
import {
  maxDeferredDeliveries,
  type StoredDeadLetter,
  type StoredDeferredDelivery,
  type SubscriberStore,
} from './subscriber-store.port.js';

/**
 * Stores the deliveries that recipients have not accepted. Beyond `maxDeferredDeliveries`, deferred deliveries become
 * dead letters.
 */
export async function storeUndelivered(
  subscribers: SubscriberStore,
  name: string,
  { deferred, deadLetters }: Undelivered,
): Promise<void> {
  for (const one of deadLetters) await subscribers.addDeadLetter(name, one);
  for (const one of deferred) await addDeferred(subscribers, name, one);
}

async function addDeferred(
  subscribers: SubscriberStore,
  name: string,
  deferred: Undelivered['deferred'][number],
): Promise<void> {
  if ((await subscribers.countDeferred(name)) < maxDeferredDeliveries) {
    await subscribers.addDeferred(name, deferred);
    return;
  }
  const { deliveryId, recipient, changes, attempts, atMs } = deferred;
  const reason = `${deferred.reason} ${maxDeferredDeliveries} deliveries are already being retried, which is the limit.`;
  await subscribers.addDeadLetter(name, {
    deliveryId,
    recipient,
    changes,
    attempts,
    reason,
    atMs,
    retryRequested: false,
  });
}

/** Replaces a deferred delivery with its outcome. */
export async function replaceDeferred(
  subscribers: SubscriberStore,
  name: string,
  { id }: StoredDeferredDelivery,
  { again, deadLetters }: { readonly again?: StoredDeferredDelivery } & Pick<Undelivered, 'deadLetters'>,
): Promise<void> {
  if (again) await subscribers.changeDeferred(name, again);
  else await subscribers.removeDeferred(name, id);
  await storeUndelivered(subscribers, name, { deferred: [], deadLetters });
}

/** Replaces a dead letter with its outcome. No effect when it was deleted in the meantime. */
export async function replaceDeadLetter(
  subscribers: SubscriberStore,
  name: string,
  { id }: StoredDeadLetter,
  { kept, ...undelivered }: { readonly kept?: StoredDeadLetter } & Undelivered,
): Promise<void> {
  if (kept) await subscribers.changeDeadLetter(name, kept);
  else if (await subscribers.removeDeadLetter(name, id)) await storeUndelivered(subscribers, name, undelivered);
}
