import type { Storage } from '../engines/storage.port.js';
import type { IndexOptions } from '../engines/storage-options.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { CleanupStack } from './cleanup-stack.js';
import type { OpenedStores, Stores } from './open-storage.js';

interface Deps {
  /** Registry of jobs that the nodes of a cluster share, so that only one node builds the index. */
  readonly jobs: JobRegistry;
  readonly log: Log;
}

/**
 * Opens the search index, unless it is part of the storage.
 * @throws Error when it belongs to another logbook; nothing was changed in that case
 */
export async function openSearchIndex(
  { own, ...opened }: OpenedStores,
  options: IndexOptions,
  deps: Deps,
  cleanup: CleanupStack,
): Promise<Stores> {
  if (own) return { ...opened, ...own };
  if (options.kind === 'embedded') throw new Error('the storage was opened without a search index');
  const searchIndex = cleanup.use(await openOpenSearch(opened.storage, options.opensearch, deps));
  // Each search finds all writes anyway. Positions serve requests that wait for the writes of another node.
  return { ...opened, searchIndex, positions: searchIndex };
}

/** @throws Error when the index belongs to another logbook; nothing was changed in that case */
export async function openOpenSearch(
  storage: Storage,
  options: Extract<IndexOptions, { kind: 'opensearch' }>['opensearch'],
  { jobs, log }: Deps,
) {
  // The client takes time and memory, so it is only loaded when needed.
  const { OpenSearchIndex } = await import('../engines/opensearch/opensearch-search-index.js');
  const { storeId } = await storage.status();
  const { entries, entryWrites, redactions } = storage.committed;
  const opensearchLog = log.child({ part: 'opensearch' });
  const index = await OpenSearchIndex.open({
    options,
    storeId,
    entries,
    entryWrites,
    redactions,
    jobs,
    log: opensearchLog,
  });
  storage.onCommit((commit) => {
    if (commit.entries) index.onWrite();
  });
  return index;
}
