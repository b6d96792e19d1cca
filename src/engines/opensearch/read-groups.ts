import { type Entry, groupIdOf } from '../../entries/entry.js';
import type { GroupOfEntry } from '../../search/entry-view.js';
import { allOf, type Filter } from './compile-query.js';
import { groupKey } from './index-document.js';
import {
  type IndexSnapshot,
  maxWindow,
  newestIn,
  newestShown,
  type Request,
  type Visibility,
} from './search-requests.js';

/**
 * Maximum size of a group whose entries are listed. In larger groups, a query counts the position of each requested
 * entry.
 */
const shortGroup = 256;

type Finder = (entry: Entry) => GroupOfEntry | null;
type Placed = Pick<Entry, 'id' | 'createdDate'>;

interface ReadGroup {
  readonly size: number;
  readonly last: { readonly createdMs: number; readonly owner: string };
  /** Position of each entry in the group, by entry id. */
  readonly positions: ReadonlyMap<number, number>;
}

/** Reads the groups of these entries, counting only entries that the user may read. */
export async function readGroups(
  snapshot: IndexSnapshot,
  entries: readonly Entry[],
  visibility: Visibility,
): Promise<Finder> {
  const byGroup = new Map<string, Entry[]>();
  for (const entry of entries) {
    const groupId = groupIdOf(entry);
    if (groupId) byGroup.set(groupKey(groupId), [...(byGroup.get(groupKey(groupId)) ?? []), entry]);
  }
  if (byGroup.size === 0) return () => null;
  const visible = allOf([], visibility);
  const inGroup = (key: string): Filter => ({ bool: { filter: [visible, { term: { thread: key } }] } });
  const known = new Map<string, ReadGroup>();
  const sized = await listSizes(snapshot, visible, [...byGroup.keys()]);
  const short = sized.filter(({ count }) => count <= shortGroup);
  const listed = await listPositions(snapshot, visible, short);
  for (const { key, count, last } of sized) {
    const placed = listed.get(key) ?? (await countPositions(snapshot, inGroup(key), byGroup.get(key) ?? []));
    known.set(key, { size: count, last, positions: placed });
  }
  return (entry) => show(entry, known);
}

interface SizedGroup {
  readonly key: string;
  readonly count: number;
  readonly last: ReadGroup['last'];
}

/** Returns the size and the newest entry of each group with several entries. */
async function listSizes(
  snapshot: IndexSnapshot,
  visible: Filter,
  keys: readonly string[],
): Promise<readonly SizedGroup[]> {
  const { aggregations } = await snapshot.search({
    filter: { bool: { filter: [visible, { terms: { thread: keys } }] } },
    aggregations: {
      threads: { terms: { field: 'thread', include: keys, size: keys.length, min_doc_count: 2 }, aggs: newestShown },
    },
  });
  return (aggregations.threads?.buckets ?? []).map((bucket) => {
    const newest = newestIn(bucket);
    const last = { createdMs: newest?.createdMs ?? 0, owner: newest?.shown?.owner ?? '' };
    return { key: String(bucket.key), count: bucket.doc_count, last };
  });
}

function show(entry: Entry, groups: ReadonlyMap<string, ReadGroup>): GroupOfEntry | null {
  const id = groupIdOf(entry);
  const group = id ? groups.get(groupKey(id)) : undefined;
  const position = group?.positions.get(entry.id);
  if (!id || !group || position === undefined) return null;
  return { id, size: group.size, position, lastDate: group.last.createdMs, lastOwner: group.last.owner };
}

/** Returns the positions in small groups, by group and entry. */
async function listPositions(
  snapshot: IndexSnapshot,
  visible: Filter,
  groups: readonly SizedGroup[],
): Promise<Map<string, Map<number, number>>> {
  const all = new Map<string, Map<number, number>>(groups.map(({ key }) => [key, new Map()]));
  for (let rest = groups; rest.length > 0; ) {
    let size = 0;
    const fitting = rest.findIndex(({ count }) => {
      size += count;
      return size > maxWindow;
    });
    const some = fitting < 0 ? rest : rest.slice(0, fitting);
    rest = rest.slice(some.length);
    const filter = { bool: { filter: [visible, { terms: { thread: some.map(({ key }) => key) } }] } };
    const { hits } = await snapshot.search({ filter, order: 'oldest', size: maxWindow });
    for (const { id, thread: group = '' } of hits) {
      const positions = all.get(group);
      positions?.set(id, positions.size + 1);
    }
  }
  return all;
}

/** Returns the positions of these entries in their group. */
async function countPositions(
  snapshot: IndexSnapshot,
  inGroup: Filter,
  entries: readonly Placed[],
): Promise<Map<number, number>> {
  const requests = entries.flatMap(({ id, createdDate }): Request[] => {
    const earlier = { range: { created: { lt: createdDate } } };
    const before = { bool: { filter: [{ term: { created: createdDate } }, { range: { id: { lt: id } } }] } };
    const either = { bool: { should: [earlier, before], minimum_should_match: 1 } };
    return [
      { filter: { bool: { filter: [inGroup, { term: { id } }] } } },
      { filter: { bool: { filter: [inGroup, either] } } },
    ];
  });
  const answers = await snapshot.searchAll(requests);
  return new Map(
    entries.flatMap(({ id }, at) => {
      const isIn = (answers[2 * at]?.count ?? 0) > 0;
      return isIn ? [[id, (answers[2 * at + 1]?.count ?? 0) + 1] as const] : [];
    }),
  );
}
