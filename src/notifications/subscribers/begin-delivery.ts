import type { ComposedChange } from './compose-delivery.js';
import type { PendingDelivery, SubscriberState } from './subscriber-store.port.js';

/** Returns the state of a new subscriber, which gets the changes after `sequence`. */
export function beginAt(name: string, sequence: number, sinceMs: number): SubscriberState {
  return { name, sequence, sinceMs, lastSuccessMs: null, lastErrorMs: null, lastError: '', pending: null };
}

/** Returns a delivery before its first attempt, which is due immediately. */
export function toPending(
  { changes, upTo }: { readonly changes: readonly ComposedChange[]; readonly upTo: number },
  id: string,
  nowMs: number,
): PendingDelivery {
  return {
    id,
    changes: changes.map(({ sequence, kind, entryId }) => ({ sequence, kind, entryId })),
    upTo,
    attempts: 0,
    failingSinceMs: null,
    nextAttemptMs: nowMs,
  };
}
