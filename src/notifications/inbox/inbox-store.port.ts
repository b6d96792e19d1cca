import type { Account, AccountKey } from '../../auth/accounts.js';
import type { PushTarget } from '../subscribers/push-service.port.js';
import type { QuietHours } from './quiet-hours.js';

/** Entries to which a watch applies. */
export type WatchSubject =
  /** Entries that match a search. `query`: its parameters, as in a URL. */
  | { readonly kind: 'search'; readonly query: string }
  /** Entries of the group of an entry. */
  | { readonly kind: 'thread'; readonly entryId: number }
  /** Entries whose text names the user, as `@name`. */
  | { readonly kind: 'mentions' }
  /** Replies to entries of the user. */
  | { readonly kind: 'replies' };

export type WatchKind = WatchSubject['kind'];

/** A rule of a user: the changes that reach the inbox of the user. */
export interface Watch {
  readonly id: string;
  readonly name: string;
  readonly subject: WatchSubject;
  /** Whether edits of entries match, and not only new entries. */
  readonly edits: boolean;
  /** Position in the change feed when the watch was created. Earlier changes do not match. */
  readonly after: number;
}

/** Channels by which the items of an inbox reach its user outside of the service. */
export interface DeliveryChoice {
  /** Whether items are mailed to the address that the authentication provider knows. */
  readonly mail: boolean;
  /** Undefined: items are sent at any time. */
  readonly quiet?: QuietHours | undefined;
  /** Position in the change feed when mails were turned on: earlier changes are not mailed. */
  readonly after: number;
  /** Position in the change feed when messages in the chat were turned on; undefined: they are off. */
  readonly chatAfter?: number | undefined;
  /** Browsers that show new items as notifications, oldest first; undefined: none. */
  readonly browsers?: readonly PushBrowser[] | undefined;
  /** Browsers whose push service has ended their subscription, and which may renew it, oldest first. */
  readonly endedBrowsers?: readonly EndedBrowser[] | undefined;
}

/** A browser that shows notifications. */
export interface PushBrowser extends PushTarget {
  /** Id that is derived from its first endpoint. */
  readonly id: string;
  /** Name that is shown to the user. */
  readonly name: string;
  /** Position in the change feed when it was added: earlier changes are not sent to it. */
  readonly after: number;
}

/** A browser whose push service has ended its subscription. */
export interface EndedBrowser extends Pick<PushBrowser, 'id' | 'endpoint'> {
  /** The first message that was refused; undefined if an earlier version of the service has stored the browser. */
  readonly refused?: {
    /** Position in the change feed before the message. */
    readonly after: number;
    /** Milliseconds since the epoch. */
    readonly at: number;
  };
}

/** A user, with the watches and the delivery choice of the user. */
export interface Watcher {
  /** The account as the authentication provider last described it. */
  readonly account: Account;
  /** Oldest first. */
  readonly watches: readonly Watch[];
  /** Undefined: the user has made no choice, and nothing is sent. */
  readonly delivery?: DeliveryChoice | undefined;
}

/** A watch that a change matched, with its kind at that time. */
export interface InboxReason {
  readonly watchId: string;
  readonly kind: WatchKind;
}

/** A change that concerns a user. Its entry is read when it is shown. */
export interface NewInboxItem {
  /** Position of the change in the feed: a user has at most one item for each. */
  readonly sequence: number;
  readonly entryId: number;
  readonly change: 'created' | 'edited';
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Never empty. */
  readonly reasons: readonly InboxReason[];
}

export interface InboxItem extends NewInboxItem {
  /** Increases with each item; never reused. */
  readonly id: number;
  readonly isRead: boolean;
}

/** Maximum number of items per user; beyond it, the oldest ones are dropped. */
export const maxInboxItems = 1_000;

export interface InboxReader {
  /** Returns the position up to which changes were evaluated; undefined before the first evaluation. */
  findPosition(): Promise<number | undefined>;
  /**
   * Returns the user with the watches; undefined when the user never had a watch or a delivery choice. Within a
   * transaction, locks the user, so that concurrent changes wait.
   * @throws Fault broken `storage.damaged`
   */
  findWatcher(owner: AccountKey): Promise<Watcher | undefined>;
  /** Yields all users who ever had a watch or a delivery choice, except those whose stored data are damaged. */
  listWatchers(): AsyncGenerator<Watcher>;
  /** Lists at most `limit` items of a user, newest first, with an id below `beforeId` if it is given. */
  listItems(owner: AccountKey, limit: number, beforeId?: number): Promise<InboxItem[]>;
  /** Lists at most `limit` items of a user, oldest first, whose changes are after a position in the feed. */
  listItemsAfter(owner: AccountKey, sequence: number, limit: number): Promise<InboxItem[]>;
  /** Lists the unread items of a user, newest first. */
  listUnread(owner: AccountKey): Promise<InboxItem[]>;
}

export interface InboxStore extends InboxReader {
  /**
   * Stores the position if it still is `from`. Returns false, without any effect, if another node has stored one since.
   */
  advance(from: number | undefined, to: number): Promise<boolean>;
  /** Stores the user with these watches, which replace the earlier ones. */
  putWatcher(watcher: Watcher): Promise<void>;
  /**
   * Adds items in their order. An item for a change that already has an item of the user is ignored. The newest
   * `maxInboxItems` items of the user are kept.
   */
  addItems(owner: AccountKey, items: readonly NewInboxItem[]): Promise<void>;
  /** Marks items of the user as read; ignores ids of other users' items and unknown ids. */
  markRead(owner: AccountKey, ids: readonly number[]): Promise<void>;
  /** Marks all items of the user up to that id as read. */
  markReadUpTo(owner: AccountKey, id: number): Promise<void>;
}
