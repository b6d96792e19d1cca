import type { ChangeFeedReader } from '../../entries/change-feed.port.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import type { RepeatTransaction } from '../../kernel/repeat-store.port.js';
import type { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { InboxReader, InboxStore } from './inbox-store.port.js';

/** Lease of the job that fills the inboxes: the node that has it delivers their items, too. */
export const inboxLease = 'inbox';

export interface InboxTransaction extends RepeatTransaction {
  readonly inbox: InboxStore;
  readonly feed: Pick<ChangeFeedReader, 'newest'>;
}

export interface CommittedInbox {
  readonly inbox: InboxReader;
  readonly entries: EntryReader;
}

/** The stores that users change their watches and read their inboxes with. */
export type InboxStorage = UnitOfWork<InboxTransaction, CommittedInbox>;
