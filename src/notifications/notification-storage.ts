import type { ChangeFeedReader } from '../entries/change-feed.port.js';
import type { EntryReader } from '../entries/entry-store.port.js';
import type { LeaseTransaction } from '../kernel/lease.port.js';
import type { StorageStatusReader } from '../kernel/storage-status.js';
import type { CommitNotifier, UnitOfWork } from '../kernel/unit-of-work.js';
import type { InboxReader, InboxStore } from './inbox/inbox-store.port.js';
import type { SubscriberReader, SubscriberStore } from './subscribers/subscriber-store.port.js';

export interface NotificationTransaction extends LeaseTransaction {
  readonly subscribers: SubscriberStore;
  readonly inbox: InboxStore;
}

export interface CommittedNotifications {
  readonly subscribers: SubscriberReader;
  readonly inbox: InboxReader;
  readonly entries: EntryReader;
  readonly feed: ChangeFeedReader;
}

/** The part of the storage that notifications read and write. */
export type NotificationStorage = UnitOfWork<NotificationTransaction, CommittedNotifications> &
  CommitNotifier &
  StorageStatusReader;
