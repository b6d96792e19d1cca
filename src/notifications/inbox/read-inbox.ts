import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import type { Entry } from '../../entries/entry.js';
import { findReadable } from '../../entries/readable-entries.js';
import { unlessDamaged } from '../../entries/unless-damaged.js';
import { Fault } from '../../kernel/fault.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import type { SearchIndex } from '../../search/search-index.port.js';
import type { CommittedInbox } from './inbox-storage.js';
import type { InboxItem } from './inbox-store.port.js';
import { parseWatchedQuery } from './watched-query.js';

export interface ReadInboxDeps {
  readonly storage: { readonly committed: CommittedInbox };
  readonly searchIndex: Pick<SearchIndex, 'matching'>;
  readonly permissions: Permissions;
}

/** An item with its entry as it stands now. */
export interface ShownItem {
  readonly item: InboxItem;
  readonly entry: Entry;
}

export interface InboxPage {
  readonly items: readonly ShownItem[];
  /** Value of `before` for the next page; undefined: this is the last page. */
  readonly next: number | undefined;
}

export interface InboxRequest {
  readonly size: number;
  readonly before: number | undefined;
  /** Only items of this watch. */
  readonly watchId: string | undefined;
}

/** Number of items read at a time. */
const batchSize = 100;

/** Lists the items of a user whose entries the user may read now, newest first. */
export async function listInbox(
  deps: ReadInboxDeps,
  principal: Principal,
  { size, before, watchId }: InboxRequest,
): Promise<InboxPage> {
  const { permissions, storage } = deps;
  const { inbox, entries } = storage.committed;
  const items: ShownItem[] = [];
  const slice = new TimeSlice();
  let next = before;
  for (;;) {
    const batch = await inbox.listItems(principal, batchSize, next);
    const wanted = batch.filter((item) => watchId === undefined || isOf(item, watchId));
    for (const item of await withoutHidden(deps, principal, wanted)) {
      if (items.length === size) return { items, next };
      const stored = await unlessDamaged(() => findReadable(entries, { permissions, principal }, item.entryId));
      if (stored && stored !== 'damaged') items.push({ item, entry: stored.entry });
      next = item.id;
      if (slice.isOver) await slice.next();
    }
    if (batch.length < batchSize) return { items, next: undefined };
    next = batch.at(-1)?.id;
  }
}

/** Numbers of unread items of a user: in total, and by the id of each watch. */
export interface UnreadCounts {
  readonly total: number;
  readonly byWatch: ReadonlyMap<string, number>;
}

/** Counts the unread items of a user whose entries the user may read now. */
export async function countUnread(deps: ReadInboxDeps, principal: Principal): Promise<UnreadCounts> {
  const unread = await withoutHidden(deps, principal, await deps.storage.committed.inbox.listUnread(principal));
  const byWatch = new Map<string, number>();
  for (const { reasons } of unread) {
    for (const { watchId } of reasons) byWatch.set(watchId, (byWatch.get(watchId) ?? 0) + 1);
  }
  return { total: unread.length, byWatch };
}

async function withoutHidden(
  deps: ReadInboxDeps,
  principal: Principal,
  items: readonly InboxItem[],
): Promise<readonly InboxItem[]> {
  const hiddenLogbooks = deps.permissions.hiddenLogbooksFor(principal);
  if (hiddenLogbooks.length === 0 || items.length === 0) return items;
  const ids = [...new Set(items.map(({ entryId }) => entryId))];
  const readable = (await searchReadable(deps, hiddenLogbooks, ids)) ?? (await readReadable(deps, principal, ids));
  return items.filter(({ entryId }) => readable.has(entryId));
}

/** Finds the entries outside of these logbooks with one fast search; undefined while the index cannot search. */
async function searchReadable(
  { searchIndex }: ReadInboxDeps,
  hiddenLogbooks: readonly string[],
  ids: readonly number[],
): Promise<ReadonlySet<number> | undefined> {
  const all = parseWatchedQuery('', { nowMs: 0, zone: 'UTC', hiddenLogbooks });
  try {
    return new Set(await searchIndex.matching(all, ids));
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') return undefined;
    throw error;
  }
}

async function readReadable(
  { storage, permissions }: ReadInboxDeps,
  principal: Principal,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const readable = new Set<number>();
  const slice = new TimeSlice();
  for (const id of ids) {
    const stored = await unlessDamaged(() => findReadable(storage.committed.entries, { permissions, principal }, id));
    if (stored && stored !== 'damaged') readable.add(id);
    if (slice.isOver) await slice.next();
  }
  return readable;
}

function isOf({ reasons }: InboxItem, watchId: string): boolean {
  return reasons.some((reason) => reason.watchId === watchId);
}
