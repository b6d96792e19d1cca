import { createHash } from 'node:crypto';
import type { ChangeKind, RecordedChange } from '../../entries/change-feed.port.js';
import type { SearchParams } from '../../search/search-params.js';

/** Somebody outside who is told of changes, as the administrator configured it. */
export interface Subscriber {
  readonly name: string;
  /** What it is told by, such as `webhook`. */
  readonly kind: string;
  /** Whom it tells, without anything secret. */
  readonly target: string;
  /** Told of the entries alone that this search finds. */
  readonly search: SearchParams;
  readonly events: readonly ChangeKind[];
  /** For so long after the first change of a delivery, others join it. */
  readonly batchMs: number;
  /** At most so many changes in one delivery. */
  readonly maxChanges: number;
  /** Before the second attempt; doubles with each one up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** A delivery that fails for so long is given up. */
  readonly giveUpMs: number;
}

/** What a delivery tells of: a change without its entry, which is read when it is sent. */
export interface ChangeReference {
  readonly sequence: number;
  readonly kind: ChangeKind;
  readonly entryId: number;
}

/**
 * The same for the same changes, however often they are delivered. The store and the times are in it because a logbook
 * that is copied, or put back from a backup, counts on from where the other was.
 */
export function deliveryIdOf(storeId: string, subscriberName: string, changes: readonly RecordedChange[]): string {
  const hash = createHash('sha256').update(`${storeId}\n${subscriberName}`);
  for (const { sequence, atMs } of changes) hash.update(`\n${sequence} ${atMs}`);
  return hash.digest('hex').slice(0, 32);
}

/** How long to wait after the attempt of that number, from 1: twice as long each time, a part of it by chance. */
export function backOffMs(
  attempt: number,
  { retryMs, maxRetryMs }: Pick<Subscriber, 'retryMs' | 'maxRetryMs'>,
  random: () => number = Math.random,
): number {
  const whole = Math.min(maxRetryMs, retryMs * 2 ** Math.min(attempt - 1, 40));
  return whole * (0.5 + random() / 2);
}
