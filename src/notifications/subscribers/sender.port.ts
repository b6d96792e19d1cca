import type { ChangeKind } from '../../entries/change-feed.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';

/** What a subscriber is told at once. */
export interface Delivery {
  /** The same for each attempt. */
  readonly id: string;
  readonly subscriber: string;
  /** Oldest first, never empty. */
  readonly changes: readonly DeliveredChange[];
}

export interface DeliveredChange {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** As it stands now. */
  readonly stored: StoredEntry;
  /** Where people find it; empty when that is not configured. */
  readonly link: string;
}

/** How an attempt ended. Reasons are for the administrator, and have nothing secret in them. */
export type Outcome =
  /** `remark`: what was not as it should be all the same. */
  | { readonly kind: 'delivered'; readonly remark?: string }
  /** It may succeed later. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number }
  /** It would be refused each time. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Brings deliveries to one target. */
export interface Sender {
  /**
   * One attempt, within the time limit of the sender. Resolves to `failed` soon after `signal`, and leaves nothing
   * behind. Never rejects.
   */
  send(delivery: Delivery, signal: AbortSignal): Promise<Outcome>;
}
