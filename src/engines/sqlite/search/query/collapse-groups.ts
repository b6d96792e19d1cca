import type { Connection } from '../../database/connection.js';
import { type Container, empty, filter, idOf, or } from '../index/containers.js';
import type { CreationOrder } from './creation-order.js';
import { type EntrySet, entrySetFromIds, toEntrySet } from './entry-set.js';
import type { GroupOf } from './group-map.js';

/** Number of dates read at a time. */
const batchSize = 10_000;

/** Returns the newest entry of each group, and all entries that are in no group. */
export function newestOfGroups(
  entries: EntrySet,
  groupOf: GroupOf,
  { order, documents, checkTime }: { order: CreationOrder; documents: Connection; checkTime: () => void },
): EntrySet {
  /** Newest entry of each group, by group. */
  const newest = new Map<number, number>();
  const backdated: number[] = [];
  const single = entries.chunks.map((container, chunk): Container => {
    checkTime();
    const isBackdated = order.backdatedIn(chunk);
    // Ids ascend, which is creation order for all entries that are not backdated.
    return filter(container, (low) => {
      const id = idOf(chunk, low);
      const group = groupOf(id);
      if (group === 0) return true;
      if (isBackdated(low)) backdated.push(id);
      else newest.set(group, id);
      return false;
    });
  });
  for (let at = 0; at < backdated.length; at += batchSize) {
    checkTime();
    addBackdated(newest, backdated.slice(at, at + batchSize), groupOf, documents);
  }
  const ofGroups = entrySetFromIds([...newest.values()]).chunks;
  return toEntrySet(single.map((container, chunk) => or([container, ofGroups[chunk] ?? empty])));
}

function addBackdated(
  newest: Map<number, number>,
  backdated: readonly number[],
  groupOf: GroupOf,
  documents: Connection,
): void {
  const rivals = backdated.flatMap((id) => newest.get(groupOf(id)) ?? []);
  const rows = documents.all<{ id: number; created_ms: number }>(
    'SELECT entry.id AS id, created_ms FROM json_each(?) AS wanted CROSS JOIN entry ON entry.id = wanted.value',
    JSON.stringify([...new Set([...backdated, ...rivals])]),
  );
  const dates = new Map(rows.map((row) => [row.id, row.created_ms]));
  for (const id of backdated) {
    const group = groupOf(id);
    const rival = newest.get(group);
    const later = rival === undefined ? 1 : (dates.get(id) ?? 0) - (dates.get(rival) ?? 0) || id - rival;
    if (later > 0) newest.set(group, id);
  }
}
