import type { AttachmentReader, AttachmentStore } from '../attachments/attachment-store.port.js';
import type { RepeatTransaction } from '../kernel/repeat-store.port.js';
import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { DraftReader, DraftStore } from './draft-store.port.js';

export interface DraftTransaction extends RepeatTransaction {
  readonly drafts: DraftStore;
  readonly attachments: AttachmentStore;
}

export interface CommittedDrafts {
  readonly drafts: DraftReader;
  readonly attachments: AttachmentReader;
}

export type DraftStorage = UnitOfWork<DraftTransaction, CommittedDrafts>;
