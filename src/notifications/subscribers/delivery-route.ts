import { type AttemptDeps, attemptDelivery, type DeliveryReference } from './attempt-delivery.js';
import { type Composed, composeDelivery } from './compose-delivery.js';
import type { Outcome, Sender } from './sender.port.js';
import type { Subscriber } from './subscriber.js';

/** Source of the deliveries to a subscriber, and the way to send them. */
export interface DeliveryRoute {
  /** Returns the position in the feed after which a new subscriber gets changes. */
  findStart(): Promise<number>;
  /** Returns the time in milliseconds until something may be sent; 0: now. */
  findHoldMs(nowMs: number): Promise<number>;
  /** Composes the next delivery after a position. @throws Fault `search.…`, `storage.…` */
  compose(after: number, nowMs: number, signal: AbortSignal): Promise<Composed>;
  /** Makes one attempt, with entries as they stand now. @throws Fault `search.…`, `storage.…` */
  attempt(delivery: DeliveryReference, signal: AbortSignal): Promise<Outcome>;
}

/** Returns the route of a configured subscriber, which gets the changes of the feed that its search finds. */
export function searchRoute(deps: AttemptDeps, subscriber: Subscriber, sender: Sender): DeliveryRoute {
  return {
    findStart: () => deps.storage.committed.feed.newest(),
    findHoldMs: async () => 0,
    compose: (after, nowMs, signal) => composeDelivery({ ...deps, nowMs, signal }, subscriber, after),
    attempt: (delivery, signal) => attemptDelivery(deps, { subscriber, sender }, delivery, signal),
  };
}
