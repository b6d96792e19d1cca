import type { Outcome } from './sender.port.js';
import { backOffMs, type Follower } from './subscriber.js';
import type { DeadLetter, FollowerState, PendingDelivery } from './subscriber-store.port.js';

/** What is to be recorded of an attempt: how the follower stands then, and the delivery if it is given up. */
export function afterAttempt(
  {
    state,
    pending,
    outcome,
    nowMs,
  }: {
    readonly state: FollowerState;
    readonly pending: PendingDelivery;
    readonly outcome: Outcome;
    readonly nowMs: number;
  },
  follower: Follower,
): { readonly state: FollowerState; readonly letter?: DeadLetter } {
  const over = { ...state, sequence: pending.upTo, pending: null };
  if (outcome.kind === 'delivered') return { state: { ...over, lastSuccessMs: nowMs } };
  const { id: deliveryId, changes } = pending;
  const { reason } = outcome;
  const failed = { lastErrorMs: nowMs, lastError: reason };
  const attempts = pending.attempts + 1;
  const failingSinceMs = pending.failingSinceMs ?? nowMs;
  if (outcome.kind === 'refused' || nowMs - failingSinceMs >= follower.giveUpMs) {
    const letter = { deliveryId, changes, attempts, reason, atMs: nowMs, again: false };
    return { state: { ...over, ...failed }, letter };
  }
  const waitMs = Math.max(backOffMs(attempts, follower), outcome.retryAfterMs ?? 0);
  const nextAttemptMs = nowMs + Math.min(waitMs, follower.maxRetryMs);
  return { state: { ...state, ...failed, pending: { ...pending, attempts, failingSinceMs, nextAttemptMs } } };
}
