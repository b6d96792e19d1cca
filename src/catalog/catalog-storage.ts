import type { RepeatTransaction } from '../kernel/repeat-store.port.js';
import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { CatalogReader, CatalogStore } from './catalog-store.port.js';

export interface CatalogTransaction extends RepeatTransaction {
  readonly catalog: CatalogStore;
}

export type CatalogStorage = UnitOfWork<CatalogTransaction, { readonly catalog: CatalogReader }>;

export interface CatalogRevisions {
  /**
   * Returns a string that differs after each committed change of the catalogue or the templates, on any node. It stays
   * the same as long as the service runs and nothing changes.
   */
  catalogRevision(): Promise<string>;
}
