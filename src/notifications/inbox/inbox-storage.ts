import type { ChangeFeedReader } from '../../entries/change-feed.port.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import type { RepeatTransaction } from '../../kernel/repeat-store.port.js';
import type { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { InboxReader, InboxStore } from './inbox-store.port.js';

/** Lease of the job that fills the inboxes. The node that holds it also delivers their items. */
export const inboxLease = 'inbox';

export interface InboxTransaction extends RepeatTransaction {
  readonly inbox: InboxStore;
  readonly feed: Pick<ChangeFeedReader, 'newest'>;
}

export interface CommittedInbox {
  readonly inbox: InboxReader;
  readonly entries: EntryReader;
}

/** The stores for changing watches and reading inboxes. */
export type InboxStorage = UnitOfWork<InboxTransaction, CommittedInbox>;
