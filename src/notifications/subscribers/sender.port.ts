import type { ChangeKind } from '../../entries/change-feed.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';

/** Changes that are sent to a subscriber together. */
export interface Delivery {
  /** The same for every attempt. */
  readonly id: string;
  readonly subscriber: string;
  /** Oldest first, never empty. */
  readonly changes: readonly DeliveredChange[];
}

export interface DeliveredChange {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** The entry as it stands now, which may be later than the change. */
  readonly stored: StoredEntry;
  /** The web address of the entry; empty when none is configured. */
  readonly link: string;
}

/** How an attempt ended. Reasons and remarks are for the administrator and contain no secrets. */
export type Outcome =
  /** `remark`: what went wrong although the delivery succeeded. */
  | { readonly kind: 'delivered'; readonly remark?: string }
  /** A later attempt may succeed. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number }
  /** Every further attempt would be refused, too. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Sends deliveries to one target. */
export interface Sender {
  /**
   * Makes one attempt, within the sender's own time limit. Resolves to `failed` soon after `signal` aborts, with no
   * connection left open. Never rejects.
   */
  send(delivery: Delivery, signal: AbortSignal): Promise<Outcome>;
}
