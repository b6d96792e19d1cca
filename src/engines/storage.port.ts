import type { AttachmentReader, AttachmentStore } from '../attachments/attachment-store.port.js';
import type { AuditReader, AuditStore } from '../auth/audit-store.port.js';
import type { SessionReader, SessionStore } from '../auth/session-store.port.js';
import type { TokenReader, TokenStore } from '../auth/token-store.port.js';
import type { CatalogReader, CatalogStore } from '../catalog/catalog-store.port.js';
import type { ChangeFeed, ChangeFeedReader } from '../entries/change-feed.port.js';
import type { EntryReader, EntryStore } from '../entries/entry-store.port.js';
import type { TemplateReader, TemplateStore } from '../entries/template-store.port.js';
import type { FollowerReader, FollowerStore } from '../notifications/subscribers/subscriber-store.port.js';

/** What a transaction can read and write. Valid until the work that got it has settled. */
export interface Transaction {
  readonly entries: EntryStore;
  readonly attachments: AttachmentStore;
  readonly catalog: CatalogStore;
  readonly templates: TemplateStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly followers: FollowerStore;
  readonly feed: ChangeFeed;
}

/** What a transaction can take away that must not wait for room on the disk. */
export interface Removal {
  readonly sessions: Pick<SessionStore, 'remove'>;
  readonly tokens: Pick<TokenStore, 'remove'>;
}

/** What is committed, and nothing else. A write that was acknowledged is seen by every later read. */
export interface Committed {
  readonly entries: EntryReader;
  readonly attachments: AttachmentReader;
  readonly catalog: CatalogReader;
  readonly templates: TemplateReader;
  readonly sessions: SessionReader;
  readonly tokens: TokenReader;
  readonly audit: AuditReader;
  readonly followers: FollowerReader;
  readonly feed: ChangeFeedReader;
}

export interface StorageStatus {
  readonly engine: string;
  readonly address: string;
  /** `CONNECTED`, or the reason why not. */
  readonly state: string;
  /** Made at the first start and never changed: tells one store from another. */
  readonly storeId: string;
}

export interface Storage {
  readonly committed: Committed;
  /**
   * Runs `work` in a transaction of its own, one after the other, and resolves once it is on stable storage. When
   * `work` throws, nothing of it remains and the promise rejects with what it threw. Several writes may share one
   * commit; none sees or suffers the failure of another. `work` awaits nothing but the transaction, and has no effect
   * outside it: it may be run a second time when the shared commit failed.
   * @throws Fault full `storage.full`; unavailable `storage.unavailable`
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** As `write`, and done on a full disk too, unless there is not even room for a few pages. */
  remove<T>(work: (tx: Removal) => Promise<T>): Promise<T>;
  /** Calls `listener` after each commit; returns the way to stop that. A listener must not throw. */
  onCommit(listener: () => void): () => void;
  status(): Promise<StorageStatus>;
  /** Resolves when everything is written and closed. */
  close(): Promise<void>;
}
