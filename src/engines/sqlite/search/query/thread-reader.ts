import { type Entry, groupIdOf } from '../../../../entries/entry.js';
import type { ThreadOfEntry } from '../../../../search/entry-view.js';
import { kinds, threadTerm } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { empty, or } from '../index/containers.js';
import type { CreationOrder } from './creation-order.js';
import type { Dictionary } from './dictionary.js';
import { contains, type EntrySet, entrySetFromIds, listIds, toEntrySet } from './entry-set.js';
import type { Postings } from './postings.js';
import type { VisibleEntries } from './visible-entries.js';

/** Maximum size of a thread whose entries are read and sorted; those of a longer one are counted in the index. */
const shortThread = 256;

interface ThreadEntry {
  readonly id: number;
  readonly created_ms: number;
  readonly owner: string;
}

interface Thread {
  readonly entries: EntrySet;
  readonly newest: ThreadEntry;
  positionOf(entry: Entry): number;
}

/** Reads the threads of the entries of a page, each once. */
export class ThreadReader {
  private readonly threads = new Map<string, Thread | undefined>();
  private unindexed: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(
    private readonly reader: {
      readonly documents: Connection;
      readonly dictionary: Dictionary;
      readonly postings: Postings;
      readonly order: CreationOrder;
    },
    private readonly visible: VisibleEntries,
  ) {}

  /** Returns the thread of an entry; null when it stands alone, as far as the user may see. */
  find(entry: Entry): ThreadOfEntry | null {
    const groupId = groupIdOf(entry);
    if (!groupId) return null;
    const name = threadTerm.nameOf(groupId);
    if (!this.threads.has(name)) this.threads.set(name, this.read(name));
    const thread = this.threads.get(name);
    if (!thread || !contains(thread.entries, entry.id)) return null;
    return {
      id: groupId,
      size: thread.entries.count,
      position: thread.positionOf(entry),
      lastDate: thread.newest.created_ms,
      lastOwner: thread.newest.owner,
    };
  }

  private read(name: string): Thread | undefined {
    const entries = this.entriesOf(name);
    if (entries.count < 2) return undefined;
    return entries.count <= shortThread ? this.short(entries) : this.long(entries);
  }

  private entriesOf(name: string): EntrySet {
    const { dictionary, postings } = this.reader;
    const term = dictionary.find(kinds.attributeValue, name);
    const lists = term ? postings.list(term.id, 0).chunks : new Map();
    const indexed = Array.from({ length: Math.max(0, ...lists.keys()) + 1 }, (_, chunk) =>
      this.visible.indexed(chunk, lists.get(chunk) ?? empty),
    );
    const unindexed = entrySetFromIds(this.unindexedOf(name)).chunks;
    const length = Math.max(indexed.length, unindexed.length);
    return toEntrySet(Array.from({ length }, (_, chunk) => or([indexed[chunk] ?? empty, unindexed[chunk] ?? empty])));
  }

  private unindexedOf(name: string): readonly number[] {
    if (!this.unindexed) {
      const byName = new Map<string, number[]>();
      for (const { entry } of this.visible.unindexed) {
        const groupId = groupIdOf(entry.view);
        if (!groupId) continue;
        const key = threadTerm.nameOf(groupId);
        byName.set(key, [...(byName.get(key) ?? []), entry.id]);
      }
      this.unindexed = byName;
    }
    return this.unindexed.get(name) ?? [];
  }

  private short(entries: EntrySet): Thread {
    const inOrder = this.readEntries(listIds(entries)).sort(
      (one, other) => one.created_ms - other.created_ms || one.id - other.id,
    );
    const positions = new Map(inOrder.map(({ id }, at) => [id, at + 1]));
    return {
      entries,
      newest: inOrder.at(-1) as ThreadEntry,
      positionOf: ({ id }) => positions.get(id) as number,
    };
  }

  private long(entries: EntrySet): Thread {
    const { order } = this.reader;
    const [newest] = this.readEntries(order.page(entries, 'newest', 0, 1));
    return {
      entries,
      newest: newest as ThreadEntry,
      positionOf: ({ id, createdDate }) => order.countBefore(entries, { id, created_ms: createdDate }) + 1,
    };
  }

  private readEntries(ids: readonly number[]): ThreadEntry[] {
    return this.reader.documents.all<ThreadEntry & Record<string, unknown>>(
      'SELECT entry.id AS id, created_ms, owner FROM json_each(?) AS wanted CROSS JOIN entry ON entry.id = wanted.value',
      JSON.stringify(ids),
    );
  }
}
