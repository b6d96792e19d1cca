import { createHash } from 'node:crypto';
import type { ChangeKind, RecordedChange } from '../../entries/change-feed.port.js';
import type { SearchParams } from '../../search/search-params.js';
import type { RetryPolicy } from './back-off.js';

/** An external recipient of changes, as the administrator configured it. */
export interface Subscriber extends RetryPolicy {
  readonly name: string;
  /** Means of delivery, such as `webhook`. */
  readonly kind: string;
  /** Target of the deliveries, without secrets. */
  readonly target: string;
  /** Only entries that match this search are delivered. */
  readonly search: SearchParams;
  readonly events: readonly ChangeKind[];
  /** Time after the first change of a delivery in which further changes may join it. */
  readonly batchWindowMs: number;
  /** Maximum number of changes in one delivery. */
  readonly maxChanges: number;
  /** Time after the first failed attempt at which a delivery becomes a dead letter. */
  readonly maxDeliveryAgeMs: number;
}

/** A change within a delivery, without its entry: entries are read when the delivery is sent. */
export interface ChangeReference {
  readonly sequence: number;
  readonly kind: ChangeKind;
  readonly entryId: number;
}

/**
 * Computes the id of a delivery, which is the same for the same changes, however often they are delivered. The hash
 * includes the store and the times because a logbook that was copied or restored from a backup reuses the positions of
 * the original.
 */
export function computeDeliveryId(
  storeId: string,
  subscriberName: string,
  changes: readonly Pick<RecordedChange, 'sequence' | 'atMs'>[],
): string {
  const hash = createHash('sha256').update(`${storeId}\n${subscriberName}`);
  for (const { sequence, atMs } of changes) hash.update(`\n${sequence} ${atMs}`);
  return hash.digest('hex').slice(0, 32);
}
