import { type FeedItem, isIntact, type RecordedChange } from '../../entries/change-feed.port.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import { parseQuery } from '../../search/parse-query.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { NotificationStorage } from '../notification-storage.js';
import type { Subscriber } from './subscriber.js';

/** Number of changes read at a time. */
export const scanBatchSize = 500;
/** Maximum size of the JSON of all entries in a delivery. A single entry may be larger. */
const maxBytes = 1_000_000;

export type ComposedChange = Pick<RecordedChange, 'sequence' | 'kind' | 'entryId' | 'atMs'>;

export type Composed =
  /** No change up to that position matches the subscriber. */
  | { readonly kind: 'nothing'; readonly upTo: number; readonly more: boolean }
  /**
   * The batch window is still open: compose again after `waitMs`, or once a change at position `fullFrom` may make the
   * batch full.
   */
  | { readonly kind: 'early'; readonly waitMs: number; readonly fullFrom: number }
  | { readonly kind: 'delivery'; readonly changes: readonly ComposedChange[]; readonly upTo: number }
  /** The next changes cannot be read. */
  | { readonly kind: 'damaged'; readonly sequences: readonly number[]; readonly upTo: number };

export interface ComposeDeps {
  readonly storage: NotificationStorage;
  readonly searchIndex: SearchIndex;
  readonly nowMs: number;
  /** IANA zone of times in a search that name none. */
  readonly zone: string;
  readonly signal: AbortSignal;
}

/**
 * Composes the next delivery to a subscriber from the changes after a position. Entries are matched as they stand now.
 * @throws Fault `search.…`, `storage.…`
 */
export async function composeDelivery(deps: ComposeDeps, subscriber: Subscriber, after: number): Promise<Composed> {
  const { nowMs } = deps;
  const items = await deps.storage.committed.feed.listAfter(after, scanBatchSize);
  const damaged = takeWhile(items, (item) => !isIntact(item)).map(({ sequence }) => sequence);
  if (damaged.length > 0) return { kind: 'damaged', sequences: damaged, upTo: damaged.at(-1) ?? after };
  const changes = takeWhile(items, isIntact).filter(isIntact);
  const upTo = changes.at(-1)?.sequence ?? after;
  const more = items.length === scanBatchSize || changes.length < items.length;
  const nothing = { kind: 'nothing', upTo, more } as const;
  const candidates = changes.filter(({ notify, kind }) => notify && subscriber.events.includes(kind));
  // One search for the whole batch window, not one for each change.
  const candidatesWaitMs = remainingWindowMs(candidates, subscriber, nowMs);
  // If there are more changes than are read at a time, the matching ones wait for the end of the window.
  const fullFrom = (count: number) => (nothing.more ? Number.POSITIVE_INFINITY : upTo + subscriber.maxChanges - count);
  if (candidatesWaitMs > 0) {
    return { kind: 'early', waitMs: candidatesWaitMs, fullFrom: fullFrom(candidates.length) };
  }
  if (candidates.length === 0) return nothing;

  const query = parseQuery(subscriber.search, { nowMs, zone: deps.zone });
  const entryIds = [...new Set(candidates.map(({ entryId }) => entryId))];
  const found = new Set(await deps.searchIndex.matching(query, entryIds, { signal: deps.signal }));
  const matches = candidates.filter(({ entryId }) => found.has(entryId));
  if (matches.length === 0) return nothing;
  const batch = await limitBatch(deps.storage, matches, subscriber.maxChanges);
  if (batch.length === matches.length) {
    const waitMs = matches.length < subscriber.maxChanges ? remainingWindowMs(matches, subscriber, nowMs) : 0;
    if (waitMs > 0) return { kind: 'early', waitMs, fullFrom: fullFrom(matches.length) };
    return { kind: 'delivery', changes: batch, upTo };
  }
  return { kind: 'delivery', changes: batch, upTo: batch.at(-1)?.sequence ?? after };
}

function takeWhile(items: readonly FeedItem[], matches: (item: FeedItem) => boolean): readonly FeedItem[] {
  const end = items.findIndex((item) => !matches(item));
  return end < 0 ? items : items.slice(0, end);
}

/** Returns the time for which the batch window stays open: at most the whole window, even if the clock was set back. */
export function remainingWindowMs(
  changes: readonly ComposedChange[],
  { batchWindowMs, maxChanges }: Pick<Subscriber, 'batchWindowMs' | 'maxChanges'>,
  nowMs: number,
): number {
  const [first] = changes;
  if (first === undefined || changes.length >= maxChanges) return 0;
  const remainingMs = first.atMs + batchWindowMs - nowMs;
  return remainingMs > batchWindowMs ? 0 : remainingMs;
}

/** Returns the first matches that fit into one delivery. A damaged entry gets a separate delivery, which fails. */
export async function limitBatch<Change extends ComposedChange>(
  storage: Pick<NotificationStorage, 'committed'>,
  matches: readonly Change[],
  maxChanges: number,
): Promise<Change[]> {
  const batch: Change[] = [];
  let bytes = 0;
  for (const change of matches.slice(0, maxChanges)) {
    const entry = await unlessDamaged(() => storage.committed.entries.find(change.entryId));
    const isDamaged = entry === 'damaged';
    bytes += isDamaged ? 0 : (entry?.json.byteLength ?? 0);
    if (batch.length > 0 && (isDamaged || bytes > maxBytes)) break;
    batch.push(change);
    if (isDamaged) break;
  }
  return batch;
}
