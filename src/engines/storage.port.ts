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

/** Everything that a storage engine reads and writes: the slices of all folders together. */
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
  /** Rows to verify from time to time; undefined: the database notices damage of its pages itself. */
  readonly rowVerification: RowVerificationStorage | undefined;
  /** Which node runs a job that only one may run. */
  readonly leases: LeaseStore;
  /** State that all nodes share about begun sign-ins and failed attempts. */
  readonly signInState: SignInState;
  /** Resolves when everything is written and closed. */
  close(): Promise<void>;
}
