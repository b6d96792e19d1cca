import type { ChangeKind } from '../../entries/change-feed.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';

/** Changes that are sent to a subscriber together. */
export interface Delivery {
  /** Id of the delivery, which is the same for every attempt. */
  readonly id: string;
  readonly subscriber: string;
  /** Oldest first, never empty. */
  readonly changes: readonly DeliveredChange[];
  /**
   * The only recipient of the attempt, because the others have accepted the delivery. Undefined: all recipients of the
   * target.
   */
  readonly recipient?: string | undefined;
  /** Details of a delivery from the inbox of a user; undefined: a subscriber gets it. */
  readonly personal?: PersonalDelivery | undefined;
}

export interface PersonalDelivery {
  /** Id of the thread of all changes, unique across logbooks; undefined if they belong to several threads. */
  readonly thread: string | undefined;
  /** Address at which the user can turn such deliveries off without signing in. */
  readonly unsubscribeUrl: string;
}

export interface DeliveredChange {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** The current version of the entry, which may be newer than the change. */
  readonly stored: StoredEntry;
  /** The address of the entry's page; undefined when no public address is configured. */
  readonly link: string | undefined;
}

/** Outcome of an attempt. Reasons are for the administrator and contain no secrets. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** The responses differ by recipient. Recipients that are not named here, if any, have accepted the delivery. */
  | { readonly kind: 'partly'; readonly hasArrived: boolean; readonly undelivered: readonly UndeliveredRecipient[] }
  /** No recipient has accepted it; a later attempt may succeed. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly retryAfterMs?: number;
      /** Maximum time for which the delivery is retried, if it is shorter than that of the subscriber. */
      readonly maxAgeMs?: number;
    }
  /** Every further attempt would be refused, too. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface UndeliveredRecipient {
  readonly recipient: string;
  /** `refused`: every further attempt would be refused, too. */
  readonly kind: 'failed' | 'refused';
  readonly reason: string;
}

/** Sends deliveries to one target. */
export interface Sender {
  /**
   * Makes one attempt, within the sender's own time limit. Resolves to `failed` soon after `signal` aborts, with no
   * connection left open. Never rejects.
   */
  send(delivery: Delivery, signal: AbortSignal): Promise<Outcome>;
}
