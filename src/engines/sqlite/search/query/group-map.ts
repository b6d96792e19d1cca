import { groupIdOf } from '../../../../entries/entry.js';
import { groupTerm, kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { findSearchable, listWritesAfter } from '../../tables/entry-writes.js';
import { decode, idOf, lowsOf } from '../index/containers.js';
import { chunkOfKey, type IndexState, keysOfTerm } from '../index/index-database.js';
import type { Dictionary } from './dictionary.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** Number of groups read from the index at a time. */
const batchGroups = 1_000;
/** Maximum number of writes read individually; after more writes, all groups are read again. */
const manyWrites = 2_000;
/** Spare capacity for entries stored later. */
const spareIds = 4_096;

/** Returns a number for the group of an entry; 0: it is in no group. */
export type GroupOf = (entryId: number) => number;

/**
 * Groups of all indexed entries, in memory: 4 bytes per entry in each worker that has searched by groups. Each search
 * reads only the entries written since the previous one.
 */
export class GroupMap {
  /** Group term of each entry, by entry id. */
  private groups = new Uint32Array(0);
  private sequence = -1;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
    private readonly dictionary: Dictionary,
  ) {}

  /** Returns the group function for all entries, indexed or not. */
  refresh(state: IndexState, unindexed: readonly UnindexedEntry[], checkTime: () => void): GroupOf {
    this.makeRoom(state.newestId);
    if (this.sequence < 0 || state.sequence - this.sequence > manyWrites) this.readAll(checkTime);
    else if (state.sequence !== this.sequence) this.readWrites(state.sequence, checkTime);
    this.sequence = state.sequence;
    const { groups } = this;
    const others = this.groupsOf(unindexed);
    if (others.size === 0) return (id) => groups[id] ?? 0;
    return (id) => others.get(id) ?? groups[id] ?? 0;
  }

  private makeRoom(newestId: number): void {
    if (newestId < this.groups.length) return;
    const larger = new Uint32Array(newestId + spareIds);
    larger.set(this.groups);
    this.groups = larger;
  }

  private readAll(checkTime: () => void): void {
    this.groups.fill(0);
    const { first, last } = groupTerm.range;
    let after = first;
    for (;;) {
      checkTime();
      const terms = this.index.all<{ id: number; name: string }>(
        'SELECT id, name FROM term WHERE kind = ? AND name > ? AND name < ? ORDER BY name LIMIT ?',
        kinds.attributeValue,
        after,
        last,
        batchGroups,
      );
      for (const { id } of terms) this.readGroup(id);
      if (terms.length < batchGroups) return;
      after = terms.at(-1)?.name ?? last;
    }
  }

  private readGroup(termId: number): void {
    const [first, last] = keysOfTerm(termId);
    const rows = this.index.all<{ key: number; ids: Uint8Array }>(
      'SELECT key, ids FROM posting WHERE key BETWEEN ? AND ?',
      first,
      last,
    );
    for (const { key, ids } of rows) {
      for (const low of lowsOf(decode(ids))) this.groups[idOf(chunkOfKey(key), low)] = termId;
    }
  }

  private readWrites(upTo: number, checkTime: () => void): void {
    for (const { id, sequence } of listWritesAfter(this.documents, this.sequence, manyWrites + 1)) {
      if (sequence > upTo) return;
      checkTime();
      const groupId = groupIdOf(findSearchable(this.documents, id)?.view ?? { properties: [] });
      this.groups[id] = groupId ? (this.termOf(groupId) ?? 0) : 0;
    }
  }

  private groupsOf(unindexed: readonly UnindexedEntry[]): Map<number, number> {
    const groups = new Map<number, number>();
    /** Numbers of the groups that are not indexed yet: negative, unlike the ids of terms. */
    const unknown = new Map<string, number>();
    for (const { entry } of unindexed) {
      const groupId = groupIdOf(entry.view);
      if (!groupId) {
        groups.set(entry.id, 0);
        continue;
      }
      const name = groupTerm.nameOf(groupId);
      const term = this.termOf(groupId) ?? unknown.get(name) ?? -1 - unknown.size;
      if (term < 0) unknown.set(name, term);
      groups.set(entry.id, term);
    }
    return groups;
  }

  private termOf(groupId: string): number | undefined {
    return this.dictionary.find(kinds.attributeValue, groupTerm.nameOf(groupId))?.id;
  }
}
