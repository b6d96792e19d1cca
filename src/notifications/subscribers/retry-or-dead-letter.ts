import type { AttemptDeps } from './attempt-delivery.js';
import { backOffMs } from './back-off.js';
import type { Outcome, UndeliveredRecipient } from './sender.port.js';
import type { Subscriber } from './subscriber.js';
import type {
  DeadLetter,
  DeferredDelivery,
  PendingDelivery,
  StoredDeadLetter,
  StoredDeferredDelivery,
  SubscriberState,
} from './subscriber-store.port.js';

/** Recipients that have not accepted a delivery, divided into those that get another attempt and those that do not. */
export interface Undelivered {
  /** With the time of the last failed attempt. */
  readonly deferred: readonly (DeferredDelivery & Pick<DeadLetter, 'atMs'>)[];
  readonly deadLetters: readonly DeadLetter[];
}

interface Attempted {
  readonly state: SubscriberState;
  readonly pending: PendingDelivery;
  readonly outcome: Outcome;
  readonly now: DeliveryTime;
}

/** The time of an attempt. */
export interface DeliveryTime {
  readonly nowMs: number;
  /** Whether the clock is trusted; otherwise no delivery is given up because of its age. */
  readonly isTrusted: boolean;
}

export function readTime({ clock, clockWatch }: Pick<AttemptDeps, 'clock' | 'clockWatch'>): DeliveryTime {
  return { nowMs: clock.nowMs(), isTrusted: clockWatch.mayRemoveByAge() };
}

/** Returns the state of the subscriber and the undelivered deliveries to store after an attempt. */
export function decideAfterAttempt(
  { state, pending, outcome, now }: Attempted,
  subscriber: Subscriber,
): { readonly state: SubscriberState } & Undelivered {
  const { nowMs } = now;
  const none = { deferred: [], deadLetters: [] };
  const finished = { ...state, sequence: pending.upTo, pending: null };
  if (outcome.kind === 'delivered') return { state: { ...finished, lastSuccessMs: nowMs }, ...none };
  const attempts = pending.attempts + 1;
  const failingSinceMs = failingSince(pending, now);
  const { id: deliveryId, changes } = pending;
  if (outcome.kind === 'partly') {
    const { undelivered, hasArrived } = outcome;
    const failure = { lastErrorMs: nowMs, lastError: undelivered[0]?.reason ?? '' };
    const delivery = { deliveryId, changes, attempts, failingSinceMs };
    return {
      state: { ...finished, ...(hasArrived && { lastSuccessMs: nowMs }), ...failure },
      ...splitUndelivered(delivery, undelivered, { nowMs, subscriber }),
    };
  }
  const { reason } = outcome;
  const failure = { lastErrorMs: nowMs, lastError: reason };
  if (outcome.kind === 'refused' || isTooOld(failingSinceMs, now, subscriber, outcome.maxAgeMs)) {
    const deadLetter = { deliveryId, changes, attempts, reason, atMs: nowMs, retryRequested: false };
    return { state: { ...finished, ...failure }, deferred: [], deadLetters: [deadLetter] };
  }
  const nextAttemptMs = nextAttempt(attempts, { nowMs, subscriber, atLeastMs: outcome.retryAfterMs });
  return { state: { ...state, ...failure, pending: { ...pending, attempts, failingSinceMs, nextAttemptMs } }, ...none };
}

interface Context {
  readonly now: DeliveryTime;
  readonly subscriber: Subscriber;
}

/** Changes to the state of the subscriber after an attempt outside the order of deliveries. */
type Progress = Partial<Pick<SubscriberState, 'lastSuccessMs' | 'lastErrorMs' | 'lastError'>>;

/** Returns the outcome of a deferred delivery after an attempt. `again`: the delivery to retry later. */
export function decideAfterDeferred(
  deferred: StoredDeferredDelivery,
  outcome: Outcome,
  { now, subscriber }: Context,
): { readonly progress: Progress; readonly again?: StoredDeferredDelivery; readonly deadLetters: DeadLetter[] } {
  const { nowMs } = now;
  const failed = outcome.kind === 'partly' ? outcome.undelivered[0] : outcome;
  if (!failed || failed.kind === 'delivered') return { progress: { lastSuccessMs: nowMs }, deadLetters: [] };
  const attempts = deferred.attempts + 1;
  const { reason } = failed;
  const progress = { lastErrorMs: nowMs, lastError: reason };
  const failingSinceMs = failingSince(deferred, now);
  const maxAgeMs = 'maxAgeMs' in failed ? failed.maxAgeMs : undefined;
  if (failed.kind === 'refused' || isTooOld(failingSinceMs, now, subscriber, maxAgeMs)) {
    return { progress, deadLetters: [toDeadLetter({ ...deferred, attempts, reason }, nowMs)] };
  }
  const atLeastMs = 'retryAfterMs' in failed ? failed.retryAfterMs : undefined;
  const nextAttemptMs = nextAttempt(attempts, { nowMs, subscriber, atLeastMs });
  return { progress, again: { ...deferred, attempts, reason, failingSinceMs, nextAttemptMs }, deadLetters: [] };
}

/** Returns the outcome of a dead letter after a requested retry. `kept`: it remains a dead letter. */
export function decideAfterRetry(
  deadLetter: StoredDeadLetter,
  outcome: Outcome,
  { now, subscriber }: Context,
): { readonly progress: Progress; readonly kept?: StoredDeadLetter } & Undelivered {
  const { nowMs } = now;
  const none = { deferred: [], deadLetters: [] };
  if (outcome.kind === 'delivered') return { progress: { lastSuccessMs: nowMs }, ...none };
  const attempts = deadLetter.attempts + 1;
  if (outcome.kind === 'partly') {
    const { deliveryId, changes } = deadLetter;
    const delivery = { deliveryId, changes, attempts, failingSinceMs: nowMs };
    return {
      progress: {
        ...(outcome.hasArrived && { lastSuccessMs: nowMs }),
        lastErrorMs: nowMs,
        lastError: outcome.undelivered[0]?.reason ?? '',
      },
      ...splitUndelivered(delivery, outcome.undelivered, { nowMs, subscriber }),
    };
  }
  const { reason } = outcome;
  const kept = { ...deadLetter, attempts, reason, atMs: nowMs, retryRequested: false };
  return { progress: { lastErrorMs: nowMs, lastError: reason }, kept, ...none };
}

function toDeadLetter(
  { deliveryId, recipient, changes, attempts, reason }: Omit<DeferredDelivery, 'failingSinceMs' | 'nextAttemptMs'>,
  nowMs: number,
): DeadLetter {
  return { deliveryId, recipient, changes, attempts, reason, atMs: nowMs, retryRequested: false };
}

/** Sorts recipients that have not accepted a delivery into those to try again and those that refused it. */
function splitUndelivered(
  delivery: Pick<DeferredDelivery, 'deliveryId' | 'changes' | 'attempts' | 'failingSinceMs'>,
  undelivered: readonly UndeliveredRecipient[],
  { nowMs, subscriber }: { readonly nowMs: number; readonly subscriber: Subscriber },
): Undelivered {
  const nextAttemptMs = nextAttempt(delivery.attempts, { nowMs, subscriber });
  const ofKind = (kind: UndeliveredRecipient['kind']) => undelivered.filter((one) => one.kind === kind);
  return {
    deferred: ofKind('failed').map(({ recipient, reason }) => ({
      ...{ ...delivery, recipient, reason, nextAttemptMs },
      atMs: nowMs,
    })),
    deadLetters: ofKind('refused').map((one) => toDeadLetter({ ...delivery, ...one }, nowMs)),
  };
}

/**
 * Returns the time since which a delivery has been failing. A time in the future was recorded by a clock that was
 * ahead.
 */
function failingSince(
  { failingSinceMs }: { readonly failingSinceMs: number | null },
  { nowMs, isTrusted }: DeliveryTime,
): number {
  return failingSinceMs === null || (isTrusted && failingSinceMs > nowMs) ? nowMs : failingSinceMs;
}

function isTooOld(
  failingSinceMs: number,
  { nowMs, isTrusted }: DeliveryTime,
  { maxDeliveryAgeMs }: Subscriber,
  maxAgeMs = maxDeliveryAgeMs,
): boolean {
  // No clock is involved if retries are off.
  if (maxDeliveryAgeMs === 0) return true;
  return isTrusted && nowMs - failingSinceMs >= Math.min(maxAgeMs, maxDeliveryAgeMs);
}

function nextAttempt(
  attempts: number,
  { nowMs, subscriber, atLeastMs = 0 }: { nowMs: number; subscriber: Subscriber; atLeastMs?: number | undefined },
): number {
  const delayMs = Math.max(backOffMs(attempts, subscriber), atLeastMs);
  return nowMs + Math.min(delayMs, subscriber.maxRetryDelayMs);
}
