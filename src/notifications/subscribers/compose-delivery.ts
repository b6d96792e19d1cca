import type { RecordedChange } from '../../entries/change-feed.port.js';
import { parseQuery } from '../../search/parse-query.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { NotificationStorage } from '../notification-storage.js';
import type { Subscriber } from './subscriber.js';

/** How many changes are looked at together. */
export const scanBatchSize = 500;
/** The JSON of the entries of one delivery, unless a single one is larger. */
const maxBytes = 1_000_000;

export type Composed =
  /** Nothing up to that position is for the subscriber. */
  | { readonly kind: 'nothing'; readonly upTo: number; readonly more: boolean }
  /** Others may join the first change; to be looked at again after so long. */
  | { readonly kind: 'early'; readonly waitMs: number }
  | { readonly kind: 'delivery'; readonly changes: readonly RecordedChange[]; readonly upTo: number };

export interface ComposeDeps {
  readonly storage: NotificationStorage;
  readonly searchIndex: SearchIndex;
  readonly nowMs: number;
  /** IANA zone of times that the search does not give one for. */
  readonly zone: string;
  readonly signal: AbortSignal;
}

/**
 * What the subscriber is to be told next, of the changes after a position. Entries are judged as they stand now.
 * @throws Fault `search.…`, `storage.…`
 */
export async function composeDelivery(deps: ComposeDeps, subscriber: Subscriber, after: number): Promise<Composed> {
  const { nowMs } = deps;
  const changes = await deps.storage.committed.feed.listAfter(after, scanBatchSize);
  const upTo = changes.at(-1)?.sequence ?? after;
  const nothing = { kind: 'nothing', upTo, more: changes.length === scanBatchSize } as const;
  const candidates = changes.filter(({ notify, kind }) => notify && subscriber.events.includes(kind));
  // One search for all that come within the time of a batch, not one for each.
  const candidatesWaitMs = waitMsOf(candidates, subscriber, nowMs);
  if (candidatesWaitMs > 0) return { kind: 'early', waitMs: candidatesWaitMs };
  if (candidates.length === 0) return nothing;

  const query = parseQuery(subscriber.search, { nowMs, zone: deps.zone });
  const entryIds = [...new Set(candidates.map(({ entryId }) => entryId))];
  const found = new Set(await deps.searchIndex.matching(query, entryIds, { signal: deps.signal }));
  const matches = candidates.filter(({ entryId }) => found.has(entryId));
  if (matches.length === 0) return nothing;
  const told = await limitBatch(deps.storage, matches, subscriber.maxChanges);
  if (told.length === matches.length) {
    const waitMs = matches.length < subscriber.maxChanges ? waitMsOf(matches, subscriber, nowMs) : 0;
    if (waitMs > 0) return { kind: 'early', waitMs };
    return { kind: 'delivery', changes: told, upTo };
  }
  return { kind: 'delivery', changes: told, upTo: told.at(-1)?.sequence ?? after };
}

/** Nothing waits longer than the time of a batch, even if the clock was put back. */
function waitMsOf(changes: readonly RecordedChange[], { batchMs, maxChanges }: Subscriber, nowMs: number): number {
  const [first] = changes;
  if (first === undefined || changes.length >= maxChanges) return 0;
  const waitMs = first.atMs + batchMs - nowMs;
  return waitMs > batchMs ? 0 : waitMs;
}

/** The first of them, as many as go together. */
async function limitBatch(
  storage: NotificationStorage,
  matches: readonly RecordedChange[],
  maxChanges: number,
): Promise<RecordedChange[]> {
  const told: RecordedChange[] = [];
  let bytes = 0;
  for (const change of matches.slice(0, maxChanges)) {
    bytes += (await storage.committed.entries.find(change.entryId))?.json.byteLength ?? 0;
    if (told.length > 0 && bytes > maxBytes) break;
    told.push(change);
  }
  return told;
}
