import { type Entry, groupIdOf } from '../../entries/entry.js';
import type { ThreadOfEntry } from '../../search/entry-view.js';
import { allOf, type Filter } from './compile-query.js';
import { threadKey } from './index-document.js';
import {
  type IndexSnapshot,
  maxWindow,
  newestIn,
  newestShown,
  type Request,
  type Visibility,
} from './search-requests.js';

/** The entries of longer threads are not listed, but counted one by one. */
const shortThread = 256;

type Finder = (entry: Entry) => ThreadOfEntry | null;
type Placed = Pick<Entry, 'id' | 'createdDate'>;

interface Thread {
  readonly size: number;
  readonly last: { readonly createdMs: number; readonly owner: string };
  /** Position of each entry in the thread, by the id of the entry. */
  readonly positions: ReadonlyMap<number, number>;
}

/** Reads the threads of these entries. Only entries that the user may read are counted. */
export async function readThreads(
  snapshot: IndexSnapshot,
  entries: readonly Entry[],
  visibility: Visibility,
): Promise<Finder> {
  const byThread = new Map<string, Entry[]>();
  for (const entry of entries) {
    const groupId = groupIdOf(entry);
    if (groupId) byThread.set(threadKey(groupId), [...(byThread.get(threadKey(groupId)) ?? []), entry]);
  }
  if (byThread.size === 0) return () => null;
  const visible = allOf([], visibility);
  const inThread = (key: string): Filter => ({ bool: { filter: [visible, { term: { thread: key } }] } });
  const known = new Map<string, Thread>();
  const sized = await listSizes(snapshot, visible, [...byThread.keys()]);
  const short = sized.filter(({ count }) => count <= shortThread);
  const listed = await listPositions(snapshot, visible, short);
  for (const { key, count, last } of sized) {
    const placed = listed.get(key) ?? (await countPositions(snapshot, inThread(key), byThread.get(key) ?? []));
    known.set(key, { size: count, last, positions: placed });
  }
  return (entry) => show(entry, known);
}

interface SizedThread {
  readonly key: string;
  readonly count: number;
  readonly last: Thread['last'];
}

/** Returns those of the threads with several entries. */
async function listSizes(
  snapshot: IndexSnapshot,
  visible: Filter,
  keys: readonly string[],
): Promise<readonly SizedThread[]> {
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

function show(entry: Entry, threads: ReadonlyMap<string, Thread>): ThreadOfEntry | null {
  const id = groupIdOf(entry);
  const thread = id ? threads.get(threadKey(id)) : undefined;
  const position = thread?.positions.get(entry.id);
  if (!id || !thread || position === undefined) return null;
  return { id, size: thread.size, position, lastDate: thread.last.createdMs, lastOwner: thread.last.owner };
}

/** Returns, by thread and entry, the place of the entries of short threads. */
async function listPositions(
  snapshot: IndexSnapshot,
  visible: Filter,
  threads: readonly SizedThread[],
): Promise<Map<string, Map<number, number>>> {
  const all = new Map<string, Map<number, number>>(threads.map(({ key }) => [key, new Map()]));
  for (let rest = threads; rest.length > 0; ) {
    let size = 0;
    const fitting = rest.findIndex(({ count }) => {
      size += count;
      return size > maxWindow;
    });
    const some = fitting < 0 ? rest : rest.slice(0, fitting);
    rest = rest.slice(some.length);
    const filter = { bool: { filter: [visible, { terms: { thread: some.map(({ key }) => key) } }] } };
    const { hits } = await snapshot.search({ filter, order: 'oldest', size: maxWindow });
    for (const { id, thread = '' } of hits) {
      const positions = all.get(thread);
      positions?.set(id, positions.size + 1);
    }
  }
  return all;
}

/** Returns the places of these entries of one thread. */
async function countPositions(
  snapshot: IndexSnapshot,
  inThread: Filter,
  entries: readonly Placed[],
): Promise<Map<number, number>> {
  const requests = entries.flatMap(({ id, createdDate }): Request[] => {
    const earlier = { range: { created: { lt: createdDate } } };
    const before = { bool: { filter: [{ term: { created: createdDate } }, { range: { id: { lt: id } } }] } };
    const either = { bool: { should: [earlier, before], minimum_should_match: 1 } };
    return [
      { filter: { bool: { filter: [inThread, { term: { id } }] } } },
      { filter: { bool: { filter: [inThread, either] } } },
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
