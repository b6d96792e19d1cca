import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../kernel/fault.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import type { Query } from '../query.js';
import type {
  EntryRevision,
  FacetOptions,
  PageEntries,
  PageOptions,
  SearchFacets,
  SearchIndex,
  SearchIndexStatus,
  SearchOptions,
  SearchPage,
  ShownPage,
  SimilarEntry,
  SimilarRequest,
  ValueCount,
} from '../search-index.port.js';
import type { SearchPositions } from '../search-positions.port.js';
import type { SuggestRequest } from '../suggestions.js';
import type { EntryReplica } from './entry-replica.port.js';
import type { ReplicaUpdater } from './replica-updater.js';

/** Time that a search waits until the replica contains all earlier writes. */
const catchUpMs = 5_000;
/** Maximum age of acknowledged writes that a search may miss while the storage is unreachable. */
const maxMissedMs = 1_000;
/** Time that a search waits for a specific write. */
const positionWaitMs = 2_000;
const positionRetryMs = 100;
/** Maximum lag of the replica up to which a node is ready. */
export const maxLagMs = 10_000;

/**
 * The search of a node in its replica of the entries. Each search sees every write that was acknowledged before it on
 * any node, and waits until the replica has caught up. If it cannot catch up and may lack writes older than a second,
 * the search is refused.
 */
export class ReplicatedSearchIndex implements SearchIndex, SearchPositions {
  constructor(private readonly updater: ReplicaUpdater) {}

  get lagMs(): number | undefined {
    return this.updater.lagMs;
  }

  async search(query: Query, options?: SearchOptions & PageOptions): Promise<SearchPage> {
    return this.searchCurrent(options, (index, own) => index.search(query, own));
  }

  async show(page: ShownPage, versions: readonly EntryRevision[], options?: SearchOptions): Promise<PageEntries> {
    return this.replica().searchIndex.show(page, versions, options);
  }

  async facets(query: Query, options?: FacetOptions & SearchOptions): Promise<SearchFacets> {
    return this.searchCurrent(options, (index, own) => index.facets(query, own));
  }

  async suggest(request: SuggestRequest, options?: SearchOptions): Promise<ValueCount[]> {
    return this.searchCurrent(options, (index, own) => index.suggest(request, own));
  }

  async similar(request: SimilarRequest, options?: SearchOptions): Promise<readonly SimilarEntry[]> {
    return this.searchCurrent(options, (index, own) => index.similar(request, own));
  }

  async matching(query: Query, entryIds: readonly number[], options?: SearchOptions): Promise<number[]> {
    if (entryIds.length === 0) return [];
    // Callers follow the change feed. An entry missing in the replica would seem not to match.
    await this.catchUp();
    return this.replica().searchIndex.matching(query, entryIds, options);
  }

  async waitUntilIndexed(onProgress?: (indexed: number, all: number) => void): Promise<void> {
    await this.catchUp();
    await this.replica().searchIndex.waitUntilIndexed(onProgress);
  }

  async status(): Promise<SearchIndexStatus> {
    const { replica } = this.updater;
    const refusal = this.findRefusal();
    const all = this.updater.progress?.all ?? 0;
    const missing = all - (this.updater.progress?.copied ?? 0);
    const status = (await replica?.searchIndex.status()) ?? emptyStatus;
    return {
      ...status,
      status: refusal?.message ?? status.status,
      unindexedWrites: status.unindexedWrites + missing,
      isReady: refusal === undefined && status.status === emptyStatus.status,
    };
  }

  async waitFor({ id, revision }: EntryRevision): Promise<void> {
    for (const endMs = performance.now() + positionWaitMs; ; await sleep(positionRetryMs)) {
      if ((this.updater.replica?.revisionOf(id) ?? 0) >= revision) return;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) throw lagging(positionWaitMs);
      try {
        await withTimeout(leftMs, () => this.catchUp());
        // A position that is still missing is not in the database: it was invented, or lost in a failover.
        return;
      } catch {
        // The storage may become reachable in time, so the loop tries once more.
      }
    }
  }

  /**
   * Searches when the replica contains all earlier writes. It usually does, so the search starts while the storage is
   * queried, and is only repeated if there was a new write.
   */
  private async searchCurrent<T, Options extends SearchOptions>(
    options: Options | undefined,
    search: (index: SearchIndex, options: Options) => Promise<T>,
  ): Promise<T> {
    const refusal = this.findRefusal();
    if (refusal && this.updater.lagMs === undefined) throw refusal;
    const { quiet } = this.updater;
    const given = options ?? ({} as Options);
    const unused = new AbortController();
    const signal = given.signal ? AbortSignal.any([given.signal, unused.signal]) : unused.signal;
    const early = quiet && search(quiet.replica.searchIndex, { ...given, signal });
    // A failure is thrown below, where the result is used.
    early?.catch(() => undefined);
    const hasCaughtUp = await withTimeout(catchUpMs, () => this.catchUp()).then(
      () => true,
      () => false,
    );
    const isCurrent = quiet === this.updater.quiet;
    if (!isCurrent) unused.abort();
    const replica = this.replica(hasCaughtUp ? Number.POSITIVE_INFINITY : maxMissedMs);
    return early && isCurrent ? early : search(replica.searchIndex, given);
  }

  private catchUp(): Promise<void> {
    return this.updater.catchUp();
  }

  private replica(limitMs = maxLagMs): EntryReplica {
    const { replica } = this.updater;
    const refusal = this.findRefusal(limitMs);
    if (refusal) throw refusal;
    if (!replica) throw building(0, 0);
    return replica;
  }

  /**
   * Returns the reason why the replica must not be searched: it is missing or incomplete, or its lag exceeds the limit.
   */
  private findRefusal(limitMs = maxLagMs): Fault | undefined {
    const { replica, lagMs, progress } = this.updater;
    if (!replica || lagMs === undefined) return building(progress?.copied ?? 0, progress?.all ?? 0);
    return lagMs > limitMs ? lagging(lagMs) : undefined;
  }
}

const emptyStatus: SearchIndexStatus = {
  status: 'Connected',
  unindexedWrites: 0,
  clusterName: 'embedded',
  clusterId: '',
  version: '',
  host: 'localhost',
  port: '0',
  engine: 'EMBEDDED',
  servers: [{ address: 'localhost', state: 'CONNECTED' }],
};

function building(copied: number, all: number): Fault {
  const progress = all === 0 ? '' : `: ${copied} of ${all} entries are copied`;
  return new Fault(
    'unavailable',
    'search.index-building',
    `The search index of this node is being built${progress}. Reading and writing entries works as usual; search again in a minute.`,
    { retryAfterSeconds: 5 },
  );
}

function lagging(lagMs: number): Fault {
  const seconds = Math.ceil(lagMs / 1_000);
  return new Fault(
    'unavailable',
    'search.lagging',
    `The search index of this node may lack the writes of the last ${seconds} s. Reading and writing entries works as usual; search again in a moment.`,
    { retryAfterSeconds: 1 },
  );
}
