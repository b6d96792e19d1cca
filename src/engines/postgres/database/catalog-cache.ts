import { LRUCache } from 'lru-cache';
import type { Statements } from '../../sql/statements.port.js';
import type { runPrepared } from './statements.js';

type Result = Awaited<ReturnType<typeof runPrepared>>;

/** The transaction that has changed the catalogue or the templates last: see `WriteBatch.claimCatalog`. */
export const catalogRevisionSql = "SELECT xmin::text AS revision FROM store WHERE key = 'id'";

/** Returns a text that changes with each change of the catalogue or the templates. */
export async function readCatalogRevision(connection: Statements): Promise<string> {
  return (await connection.get<{ revision: string }>(catalogRevisionSql))?.revision ?? '';
}

/** Maximum total length of the statements, their values and rows, in UTF-16 code units. */
const maxLength = 4_000_000;

/**
 * Caches results of catalogue reads that were made for writes, as long as the catalogue has the same revision. Each
 * connection has its own cache: after a failover, another server may assign the same revision to a different change.
 */
export class CatalogCache {
  private revision: string | undefined;
  private readonly results = new LRUCache<string, Result>({
    maxSize: maxLength,
    sizeCalculation: ({ rows }, key) => key.length + JSON.stringify(rows).length,
  });

  /** Must be called first in a transaction, with the revision that it sees; results of other revisions are dropped. */
  useRevision(revision: string): void {
    if (revision !== this.revision) this.results.clear();
    this.revision = revision;
  }

  /** Forgets everything: a node of an earlier version may have changed the catalogue, and gives it no new revision. */
  clear(): void {
    this.revision = undefined;
    this.results.clear();
  }

  find(key: string): Result | undefined {
    return this.results.get(key);
  }

  /** No effect when another revision is in use by now. */
  keep(key: string, result: Result, revision: string): void {
    if (revision === this.revision) this.results.set(key, result);
  }
}
