import type { AttachmentReader, AttachmentStore } from '../attachments/attachment-store.port.js';
import type { CatalogReader } from '../catalog/catalog-store.port.js';
import type { DraftReader, DraftStore } from '../drafts/draft-store.port.js';
import type { RepeatTransaction } from '../kernel/repeat-store.port.js';
import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { ChangeFeed, ChangeFeedReader } from './change-feed.port.js';
import type { DeviceValuesReader, DeviceValuesStore } from './device-values-store.port.js';
import type { EntryReader, EntryStore } from './entry-store.port.js';
import type { EntryWriteReader } from './entry-writes.port.js';
import type { RedactionReader, RedactionStore } from './redaction-store.port.js';
import type { TemplateReader, TemplateStore } from './template-store.port.js';

export interface EntryTransaction extends RepeatTransaction {
  readonly entries: EntryStore;
  readonly attachments: AttachmentStore;
  readonly catalog: CatalogReader;
  readonly templates: TemplateStore;
  readonly drafts: DraftStore;
  readonly feed: ChangeFeed;
  readonly redactions: RedactionStore;
  readonly deviceValues: DeviceValuesStore;
}

export interface CommittedEntries {
  readonly entries: EntryReader;
  readonly attachments: AttachmentReader;
  readonly catalog: CatalogReader;
  readonly templates: TemplateReader;
  readonly drafts: DraftReader;
  readonly feed: ChangeFeedReader;
  readonly redactions: RedactionReader;
  readonly deviceValues: DeviceValuesReader;
  readonly entryWrites: EntryWriteReader;
}

/** The stores that creating, editing and reading entries and templates may use. */
export type EntryStorage = UnitOfWork<EntryTransaction, CommittedEntries>;
