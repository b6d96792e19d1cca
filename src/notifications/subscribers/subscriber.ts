import { createHash } from 'node:crypto';
import type { ChangeKind, RecordedChange } from '../../entries/change-feed.port.js';
import type { SearchParams } from '../../search/search-params.js';
import type { RetryPolicy } from './back-off.js';

/** An external recipient of changes, as the administrator configured it. */
export interface Subscriber extends RetryPolicy {
  readonly name: string;
  /** How changes are delivered, such as `webhook`. */
  readonly kind: string;
  /** Where changes are delivered to, without secrets. */
  readonly target: string;
  /** Only entries that match this search are delivered. */
  readonly search: SearchParams;
  readonly events: readonly ChangeKind[];
  /** How long after the first change of a delivery further changes may join it. */
  readonly batchWindowMs: number;
  /** At most this many changes go into one delivery. */
  readonly maxChanges: number;
  /** A delivery that has failed for this long becomes a dead letter. */
  readonly maxDeliveryAgeMs: number;
}

/** A change within a delivery, without its entry: entries are read when the delivery is sent. */
export interface ChangeReference {
  readonly sequence: number;
  readonly kind: ChangeKind;
  readonly entryId: number;
}

/**
 * Computes the id of a delivery: the same for the same changes, however often they are delivered. The hash includes the
 * store and the times because a logbook that was copied or restored from a backup reuses the positions of the original.
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
