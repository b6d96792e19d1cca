import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { AttachmentReader, AttachmentStore } from './attachment-store.port.js';

export interface AttachmentTransaction {
  readonly attachments: AttachmentStore;
}

export interface CommittedAttachments {
  readonly attachments: AttachmentReader;
}

export type AttachmentStorage = UnitOfWork<AttachmentTransaction, CommittedAttachments>;
