import { type Entry, groupIdOf } from '../../../../entries/entry.js';
import type { GroupOfEntry } from '../../../../search/entry-view.js';
import { groupTerm, kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { empty, or } from '../index/containers.js';
import type { CreationOrder } from './creation-order.js';
import type { Dictionary } from './dictionary.js';
import { contains, type EntrySet, entrySetFromIds, listIds, toEntrySet } from './entry-set.js';
import type { Postings } from './postings.js';
import type { VisibleEntries } from './visible-entries.js';

/**
 * Maximum size of a group whose entries are read and sorted; in larger groups, the entries are counted in the index.
 */
const shortGroup = 256;

interface GroupEntry {
  readonly id: number;
  readonly created_ms: number;
  readonly owner: string;
}

interface EntryGroup {
  readonly entries: EntrySet;
  readonly newest: GroupEntry;
  positionOf(entry: Entry): number;
}

/** Reads the groups of the entries of a page, each group once. */
export class GroupReader {
  private readonly groups = new Map<string, EntryGroup | undefined>();
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

  /** Returns the group of an entry; null if the user may not see any other entry of the group. */
  find(entry: Entry): GroupOfEntry | null {
    const groupId = groupIdOf(entry);
    if (!groupId) return null;
    const name = groupTerm.nameOf(groupId);
    if (!this.groups.has(name)) this.groups.set(name, this.read(name));
    const group = this.groups.get(name);
    if (!group || !contains(group.entries, entry.id)) return null;
    return {
      id: groupId,
      size: group.entries.count,
      position: group.positionOf(entry),
      lastDate: group.newest.created_ms,
      lastOwner: group.newest.owner,
    };
  }

  private read(name: string): EntryGroup | undefined {
    const entries = this.entriesOf(name);
    if (entries.count < 2) return undefined;
    return entries.count <= shortGroup ? this.short(entries) : this.long(entries);
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
        const key = groupTerm.nameOf(groupId);
        byName.set(key, [...(byName.get(key) ?? []), entry.id]);
      }
      this.unindexed = byName;
    }
    return this.unindexed.get(name) ?? [];
  }

  private short(entries: EntrySet): EntryGroup {
    const inOrder = this.readEntries(listIds(entries)).sort(
      (one, other) => one.created_ms - other.created_ms || one.id - other.id,
    );
    const positions = new Map(inOrder.map(({ id }, at) => [id, at + 1]));
    return {
      entries,
      newest: inOrder.at(-1) as GroupEntry,
      positionOf: ({ id }) => positions.get(id) as number,
    };
  }

  private long(entries: EntrySet): EntryGroup {
    const { order } = this.reader;
    const [newest] = this.readEntries(order.page(entries, 'newest', 0, 1));
    return {
      entries,
      newest: newest as GroupEntry,
      positionOf: ({ id, createdDate }) => order.countBefore(entries, { id, created_ms: createdDate }) + 1,
    };
  }

  private readEntries(ids: readonly number[]): GroupEntry[] {
    return this.reader.documents.all<GroupEntry & Record<string, unknown>>(
      'SELECT entry.id AS id, created_ms, owner FROM json_each(?) AS wanted CROSS JOIN entry ON entry.id = wanted.value',
      JSON.stringify(ids),
    );
  }
}
