import type { UnitOfWork } from '../kernel/unit-of-work.js';
import type { CatalogReader, CatalogStore } from './catalog-store.port.js';

export interface CatalogTransaction {
  readonly catalog: CatalogStore;
}

/** What the catalogue may read and write. */
export type CatalogStorage = UnitOfWork<CatalogTransaction, { readonly catalog: CatalogReader }>;
