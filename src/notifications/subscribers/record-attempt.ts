import type { Outcome } from './sender.port.js';
import { backOffMs, type Subscriber } from './subscriber.js';
import type { DeadLetter, PendingDelivery, SubscriberState } from './subscriber-store.port.js';

/** What is to be recorded of an attempt: how the subscriber stands then, and the delivery if it is given up. */
export function recordAttempt(
  {
    state,
    pending,
    outcome,
    nowMs,
  }: {
    readonly state: SubscriberState;
    readonly pending: PendingDelivery;
    readonly outcome: Outcome;
    readonly nowMs: number;
  },
  subscriber: Subscriber,
): { readonly state: SubscriberState; readonly letter?: DeadLetter } {
  const over = { ...state, sequence: pending.upTo, pending: null };
  if (outcome.kind === 'delivered') return { state: { ...over, lastSuccessMs: nowMs } };
  const { id: deliveryId, changes } = pending;
  const { reason } = outcome;
  const failed = { lastErrorMs: nowMs, lastError: reason };
  const attempts = pending.attempts + 1;
  const failingSinceMs = pending.failingSinceMs ?? nowMs;
  if (outcome.kind === 'refused' || nowMs - failingSinceMs >= subscriber.giveUpMs) {
    const letter = { deliveryId, changes, attempts, reason, atMs: nowMs, again: false };
    return { state: { ...over, ...failed }, letter };
  }
  const waitMs = Math.max(backOffMs(attempts, subscriber), outcome.retryAfterMs ?? 0);
  const nextAttemptMs = nowMs + Math.min(waitMs, subscriber.maxRetryMs);
  return { state: { ...state, ...failed, pending: { ...pending, attempts, failingSinceMs, nextAttemptMs } } };
}
