import type { CatalogTransaction } from '../catalog/catalog-storage.js';
import type { CommittedEntries, EntryTransaction } from '../entries/entry-storage.js';
import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { ImportReader, ImportStore } from './import-store.port.js';

export interface ImportTransaction extends Omit<EntryTransaction, 'catalog'>, CatalogTransaction {
  readonly imports: ImportStore;
}

export interface CommittedImports {
  readonly imports: ImportReader;
}

export type ImportStorage = UnitOfWork<ImportTransaction, CommittedEntries & CommittedImports>;
