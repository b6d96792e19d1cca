import { backOffMs } from './back-off.js';
import type { Outcome } from './sender.port.js';
import type { Subscriber } from './subscriber.js';
import type { DeadLetter, PendingDelivery, SubscriberState } from './subscriber-store.port.js';

/** Returns what to store after an attempt: the state of the subscriber, and a dead letter if the delivery has failed. */
export function decideAfterAttempt(
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
): { readonly state: SubscriberState; readonly deadLetter?: DeadLetter } {
  const finished = { ...state, sequence: pending.upTo, pending: null };
  if (outcome.kind === 'delivered') return { state: { ...finished, lastSuccessMs: nowMs } };
  const { id: deliveryId, changes } = pending;
  const { reason } = outcome;
  const failure = { lastErrorMs: nowMs, lastError: reason };
  const attempts = pending.attempts + 1;
  const failingSinceMs = pending.failingSinceMs ?? nowMs;
  if (outcome.kind === 'refused' || nowMs - failingSinceMs >= subscriber.maxDeliveryAgeMs) {
    const deadLetter = { deliveryId, changes, attempts, reason, atMs: nowMs, retryRequested: false };
    return { state: { ...finished, ...failure }, deadLetter };
  }
  const delayMs = Math.max(backOffMs(attempts, subscriber), outcome.retryAfterMs ?? 0);
  const nextAttemptMs = nowMs + Math.min(delayMs, subscriber.maxRetryDelayMs);
  return { state: { ...state, ...failure, pending: { ...pending, attempts, failingSinceMs, nextAttemptMs } } };
}
