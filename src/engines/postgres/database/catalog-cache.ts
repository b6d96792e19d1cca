import { LRUCache } from 'lru-cache';
import type { Statements } from '../../sql/statements.port.js';
import type { runPrepared } from './statements.js';

type Result = Awaited<ReturnType<typeof runPrepared>>;

/** Query for the transaction that last changed the catalogue or the templates, see `WriteBatch.claimCatalog`. */
export const catalogRevisionSql = "SELECT xmin::text AS revision FROM store WHERE key = 'id'";

/** Returns a string that changes whenever the catalogue or the templates change. */
export async function readCatalogRevision(connection: Statements): Promise<string> {
  return (await connection.get<{ revision: string }>(catalogRevisionSql))?.revision ?? '';
}

/** Maximum total length of the statements, their values and rows, in UTF-16 code units. */
const maxLength = 4_000_000;

/**
 * Caches the results of catalogue reads in write transactions for as long as the catalogue keeps its revision. Each
 * connection has its own cache: after a failover, another server may assign the same revision to a different change.
 */
export class CatalogCache {
  private revision: string | undefined;
  private readonly results = new LRUCache<string, Result>({
    maxSize: maxLength,
    sizeCalculation: ({ rows }, key) => key.length + JSON.stringify(rows).length,
  });

  /** Must be called first in each transaction, with the revision that it sees; drops the results of other revisions. */
  useRevision(revision: string): void {
    if (revision !== this.revision) this.results.clear();
    this.revision = revision;
  }

  /**
   * Drops all results: a node of an earlier version may have changed the catalogue without giving it a new revision.
   */
  clear(): void {
    this.revision = undefined;
    this.results.clear();
  }

  find(key: string): Result | undefined {
    return this.results.get(key);
  }

  /** Caches a result, unless a different revision is in use by now. */
  keep(key: string, result: Result, revision: string): void {
    if (revision === this.revision) this.results.set(key, result);
  }
}
