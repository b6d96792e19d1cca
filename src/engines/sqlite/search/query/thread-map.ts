import { groupIdOf } from '../../../../entries/entry.js';
import { kinds, threadTerm } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { findSearchable, listWritesAfter } from '../../tables/entry-writes.js';
import { decode, idOf, lowsOf } from '../index/containers.js';
import { chunkOfKey, type IndexState, keysOfTerm } from '../index/index-database.js';
import type { Dictionary } from './dictionary.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** How many threads are read from the index at once. */
const batchThreads = 1_000;
/** After more writes than this, all threads are read again. */
const manyWrites = 2_000;
/** The room for entries that are stored later. */
const spareIds = 4_096;

/** Returns a number for the thread of an entry; 0 when it is in none. */
export type ThreadOf = (entryId: number) => number;

/**
 * The threads of all indexed entries, in memory: 4 bytes for each entry, in each worker that has searched by threads. An
 * entry never leaves its thread, so that only new writes are read.
 */
export class ThreadMap {
  /** Term of the thread of each entry, by the id of the entry. */
  private threads = new Uint32Array(0);
  private sequence = -1;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
    private readonly dictionary: Dictionary,
  ) {}

  /** Returns the threads of the entries in the index, and of those that are not indexed yet. */
  refresh(state: IndexState, unindexed: readonly UnindexedEntry[], checkTime: () => void): ThreadOf {
    this.makeRoom(state.newestId);
    if (this.sequence < 0 || state.sequence - this.sequence > manyWrites) this.readAll(checkTime);
    else if (state.sequence !== this.sequence) this.readWrites(state.sequence, checkTime);
    this.sequence = state.sequence;
    const { threads } = this;
    const others = this.threadsOf(unindexed);
    if (others.size === 0) return (id) => threads[id] ?? 0;
    return (id) => others.get(id) ?? threads[id] ?? 0;
  }

  private makeRoom(newestId: number): void {
    if (newestId < this.threads.length) return;
    const larger = new Uint32Array(newestId + spareIds);
    larger.set(this.threads);
    this.threads = larger;
  }

  private readAll(checkTime: () => void): void {
    const { first, last } = threadTerm.range;
    let after = first;
    for (;;) {
      checkTime();
      const terms = this.index.all<{ id: number; name: string }>(
        'SELECT id, name FROM term WHERE kind = ? AND name > ? AND name < ? ORDER BY name LIMIT ?',
        kinds.attributeValue,
        after,
        last,
        batchThreads,
      );
      for (const { id } of terms) this.readThread(id);
      if (terms.length < batchThreads) return;
      after = terms.at(-1)?.name ?? last;
    }
  }

  private readThread(termId: number): void {
    const [first, last] = keysOfTerm(termId);
    const rows = this.index.all<{ key: number; ids: Uint8Array }>(
      'SELECT key, ids FROM posting WHERE key BETWEEN ? AND ?',
      first,
      last,
    );
    for (const { key, ids } of rows) {
      for (const low of lowsOf(decode(ids))) this.threads[idOf(chunkOfKey(key), low)] = termId;
    }
  }

  private readWrites(upTo: number, checkTime: () => void): void {
    for (const { id, sequence } of listWritesAfter(this.documents, this.sequence, manyWrites + 1)) {
      if (sequence > upTo) return;
      checkTime();
      const groupId = groupIdOf(findSearchable(this.documents, id)?.view ?? { properties: [] });
      if (groupId) this.threads[id] = this.termOf(groupId) ?? 0;
    }
  }

  private threadsOf(unindexed: readonly UnindexedEntry[]): Map<number, number> {
    const threads = new Map<number, number>();
    /** The threads that are not indexed yet, numbered apart from the terms. */
    const unknown = new Map<string, number>();
    for (const { entry } of unindexed) {
      const groupId = groupIdOf(entry.view);
      if (!groupId) continue;
      const name = threadTerm.nameOf(groupId);
      const term = this.termOf(groupId) ?? unknown.get(name) ?? -1 - unknown.size;
      if (term < 0) unknown.set(name, term);
      threads.set(entry.id, term);
    }
    return threads;
  }

  private termOf(groupId: string): number | undefined {
    return this.dictionary.find(kinds.attributeValue, threadTerm.nameOf(groupId))?.id;
  }
}
