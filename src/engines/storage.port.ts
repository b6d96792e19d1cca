import type { AttachmentTransaction, CommittedAttachments } from '../attachments/attachment-storage.js';
import type { AuthRemoval, AuthTransaction, CommittedAuth } from '../auth/auth-storage.js';
import type { SignInState } from '../auth/sign-in-state.port.js';
import type { CatalogRevisions, CatalogTransaction } from '../catalog/catalog-storage.js';
import type { CommittedDrafts, DraftTransaction } from '../drafts/draft-storage.js';
import type { CommittedEntries, EntryTransaction } from '../entries/entry-storage.js';
import type { RowVerificationStorage } from '../entries/row-verification.port.js';
import type { CommittedImports, ImportTransaction } from '../imports/import-storage.js';
import type { HealthSource } from '../kernel/health.js';
import type { LeaseStore, LeaseTransaction } from '../kernel/lease.port.js';
import type { RepeatReader, RepeatTransaction } from '../kernel/repeat-store.port.js';
import type { StorageStatusReader } from '../kernel/storage-status.js';
import type { CommitNotifier, UnitOfRemoval, UnitOfWork } from '../kernel/unit-of-work.js';
import type { CommittedLedger, LedgerTransaction } from '../ledger/ledger-storage.js';
import type { CommittedNotifications, NotificationTransaction } from '../notifications/notification-storage.js';
import type { CommittedPreferences, PreferenceTransaction } from '../preferences/preference-storage.js';

/** All reads and writes of a storage engine, combined from the parts that each domain folder declares. */
export type Transaction = EntryTransaction &
  AttachmentTransaction &
  CatalogTransaction &
  DraftTransaction &
  AuthTransaction &
  NotificationTransaction &
  PreferenceTransaction &
  RepeatTransaction &
  LeaseTransaction &
  LedgerTransaction &
  Pick<ImportTransaction, 'imports'>;

export type Committed = CommittedEntries &
  CommittedAttachments &
  CommittedDrafts &
  CommittedAuth &
  CommittedNotifications &
  CommittedImports &
  CommittedLedger &
  CommittedPreferences & { readonly repeats: RepeatReader };

export interface Storage
  extends UnitOfWork<Transaction, Committed>,
    UnitOfRemoval<AuthRemoval>,
    CommitNotifier,
    CatalogRevisions,
    StorageStatusReader,
    HealthSource {
  /** Rows to verify periodically; undefined: the database itself detects damaged pages. */
  readonly rowVerification: RowVerificationStorage | undefined;
  /** Leases that decide which node runs a job that must not run twice. */
  readonly leases: LeaseStore;
  /** Pending sign-ins and failed attempts, shared by all nodes. */
  readonly signInState: SignInState;
  /** Resolves when everything is written and closed. */
  close(): Promise<void>;
}
