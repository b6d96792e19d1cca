import type { Undelivered } from './retry-or-dead-letter.js';
import { computeDeliveryId } from './subscriber.js';
import type { SubscriberState } from './subscriber-store.port.js';

interface Damaged {
  readonly state: SubscriberState;
  readonly storeId: string;
  /** The positions of the changes that cannot be read. */
  readonly sequences: readonly number[];
  readonly upTo: number;
  readonly nowMs: number;
}

/**
 * Returns the state and the dead letter to store for changes that cannot be read. The dead letter names the changes.
 */
export function decideAfterDamage({
  state,
  storeId,
  sequences,
  upTo,
  nowMs,
}: Damaged): { readonly state: SubscriberState } & Undelivered {
  const [first, last] = [sequences[0], sequences.at(-1)];
  const changes = first === last ? `change ${first} is` : `changes ${first} to ${last} are`;
  const reason = `The stored ${changes} damaged; it is unknown which entries changed. Compare the receiver's data with the entries.`;
  const identity = sequences.map((sequence) => ({ sequence, atMs: 0 }));
  const deadLetter = {
    deliveryId: computeDeliveryId(storeId, state.name, identity),
    changes: [],
    attempts: 0,
    reason,
    atMs: nowMs,
    retryRequested: false,
  };
  return {
    state: { ...state, sequence: upTo, lastErrorMs: nowMs, lastError: reason },
    deferred: [],
    deadLetters: [deadLetter],
  };
}
