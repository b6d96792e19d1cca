import type { RepeatTransaction } from '../kernel/repeat-store.port.js';
import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { CatalogReader, CatalogStore } from './catalog-store.port.js';

export interface CatalogTransaction extends RepeatTransaction {
  readonly catalog: CatalogStore;
}

/** The stores that editing the catalogue may use. */
export type CatalogStorage = UnitOfWork<CatalogTransaction, { readonly catalog: CatalogReader }>;

export interface CatalogRevisions {
  /**
   * Returns what differs after each change of the catalogue or the templates that was committed before, on whatever
   * node; the same for as long as there is none, while the service runs.
   */
  catalogRevision(): Promise<string>;
}
