import type { BlobStore } from '../attachments/blob-store.port.js';
import type { CommittedEntries } from '../entries/entry-storage.js';
import type { FindEntryPage } from '../entries/page-address.js';

export interface ExportDeps {
  readonly committed: CommittedEntries;
  readonly blobs: BlobStore;
  /** Identifies the logbook in each of its exports. */
  readonly storeId: string;
  readonly nowMs: number;
  readonly linkOf: FindEntryPage;
  readonly onProgress: (exported: number, all: number) => void;
  /** Called for each item that could not be exported, with a sentence. */
  readonly onProblem: (sentence: string) => void;
}
