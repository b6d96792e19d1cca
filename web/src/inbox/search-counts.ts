import { api, dataOf } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import type { SavedSearch, SearchPage } from '../api/types.ts';
import { queryOf, termsOf } from '../find/query-terms.ts';
import { savedSearchesQuery, storedSearch } from '../find/saved-searches.tsx';
import { searchParams } from '../find/search-queries.ts';
import { noteOpened, openedBy, readOpened, storeOpened } from './opened-searches.ts';
import type { SearchCounts } from './unread-of-search.tsx';

/** Maximum number of searches that are counted; the user's own have priority. */
const maxCounted = 50;

/**
 * Counts the entries of other people that were created since the user last opened each saved search. A search that the
 * user has never seen is counted from now on. One request at a time.
 */
export async function readSearchCounts(userName: string, signal: AbortSignal): Promise<SearchCounts> {
  const saved = await queryClient.fetchQuery(savedSearchesQuery);
  const counted = [...saved.filter(({ own }) => own), ...saved.filter(({ own }) => !own)].slice(0, maxCounted);
  const before = await readOpened(userName, 0);
  const counts = new Map<string, number>();
  let isFirst = false;
  for (const { id, query } of counted) {
    const since = before.get(id);
    const found = await countSince(query, { userName, since, signal });
    if (found === undefined) continue;
    if (since === undefined && !openedBy(userName).has(id)) {
      noteOpened(userName, id, found.asOf);
      isFirst = true;
    }
    counts.set(id, found.count);
  }
  if (isFirst) storeOpened(userName, idsOf(saved));
  const isOpenedSince = (id: string) => (openedBy(userName).get(id) ?? 0) > (before.get(id) ?? 0);
  return Object.fromEntries([...counts].map(([id, count]) => [id, isOpenedSince(id) ? 0 : count]));
}

export function idsOf(saved: readonly SavedSearch[]): readonly string[] {
  return saved.map(({ id }) => id);
}

interface CountOptions {
  readonly userName: string;
  /** Id of the newest entry that is not counted; undefined: no entry is counted. */
  readonly since: number | undefined;
  readonly signal: AbortSignal;
}

/** Returns the number of hits, and the newest entry at this moment; undefined if the search finds no entries. */
async function countSince(saved: string, { userName, since, signal }: CountOptions) {
  const { query } = storedSearch(saved);
  if (query === undefined) return undefined;
  const others = queryOf([...termsOf(query), { kind: 'filter', key: 'owner', values: [userName], excluded: true }]);
  const read = async (asOf?: number) => {
    const text = others === undefined ? {} : { query: others };
    const params = { ...searchParams({ ...text, view: 'flat' }), view: 'list', size: '1' };
    const page = { ...params, ...(asOf !== undefined && { asOf: String(asOf) }) };
    // Not stored: the service worker keeps answers only for lists that the user has seen.
    return dataOf<SearchPage>(await api.GET('/logs/search', { params: { query: page }, signal, cache: 'no-store' }));
  };
  try {
    const { hitCount, logs, asOf = 0 } = await read();
    // The newest one comes first.
    if (since === undefined || (logs[0]?.id ?? 0) <= since) return { count: 0, asOf };
    const { hitCount: known } = await read(since);
    return { count: Math.max(0, hitCount - known), asOf };
  } catch (error) {
    // The service refuses this search.
    if (error instanceof ApiError && !error.isTransient) return undefined;
    throw error;
  }
}
