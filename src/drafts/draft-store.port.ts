import type { BlobReference } from '../attachments/blob-store.port.js';
import type { AccountKey } from '../auth/accounts.js';
import type { CompleteContent, Draft, DraftFile, DraftSummary } from './draft.js';

export interface DraftFileKey {
  readonly owner: AccountKey;
  readonly draftId: string;
  readonly fileId: string;
}

/** Space that the drafts of one account take. */
export interface DraftUsage {
  readonly drafts: number;
  /** Number of files, whether they have arrived or not. */
  readonly files: number;
  /** Sum of the final sizes of all files in bytes, whether they have arrived or not. */
  readonly fileBytes: number;
}

/** Reads drafts by account, because another provider may have another user with the same name. */
export interface DraftReader {
  /** Returns the draft; undefined when the account has none with this id. */
  find(owner: AccountKey, id: string): Promise<Draft | undefined>;
  /** Returns the revision of the draft, even if its content is damaged; undefined when there is no such draft. */
  findRevision(owner: AccountKey, id: string): Promise<string | undefined>;
  /** Lists all drafts of the account, the most recently changed first. */
  list(owner: AccountKey): Promise<DraftSummary[]>;
  measure(owner: AccountKey): Promise<DraftUsage>;
  /** Lists the files of a draft in the order in which they were begun; empty when there is no such draft. */
  listFiles(owner: AccountKey, draftId: string): Promise<DraftFile[]>;
  /** Returns a file of a draft; undefined when there is none. */
  findFile(key: DraftFileKey): Promise<DraftFile | undefined>;
  /** Lists the received parts of an incomplete file, in order; empty when it is complete or absent. */
  listParts(key: DraftFileKey): Promise<BlobReference[]>;
}

/** Writes drafts. After the commit, their files and parts count as referenced, see `AttachmentReader.referenced`. */
export interface DraftStore extends DraftReader {
  /** Adds the draft, or replaces its content. Its files stay. */
  put(owner: AccountKey, draft: NewDraft): Promise<DraftSummary>;
  /** Removes the draft with its files. Returns false when there was none. */
  remove(owner: AccountKey, id: string): Promise<boolean>;
  /**
   * Removes at most `limit` drafts, with their files, that were last changed before `modifiedMs`; returns their number.
   */
  removeBefore(modifiedMs: number, limit: number): Promise<number>;
  /**
   * Adds a file without bytes, or restarts a file, whose earlier bytes are discarded. The draft must exist. It counts
   * as changed at `nowMs`.
   */
  beginFile(owner: AccountKey, draftId: string, file: NewDraftFile, nowMs: number): Promise<void>;
  /** Adds the next part of an incomplete file, which must exist; the draft counts as changed at `nowMs`. */
  addPart(key: DraftFileKey, part: BlobReference, nowMs: number): Promise<void>;
  /** Makes a file complete and forgets its parts. The file must exist. */
  completeFile(key: DraftFileKey, content: CompleteContent): Promise<void>;
  /** Removes a file from its draft. Returns false when there was none. */
  removeFile(key: DraftFileKey): Promise<boolean>;
}

export type NewDraft = Pick<Draft, 'id' | 'json' | 'modifiedMs'> & Pick<DraftSummary, 'title'>;
export type NewDraftFile = Pick<DraftFile, 'id' | 'filename' | 'fileMetadataDescription' | 'size'>;
