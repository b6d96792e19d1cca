import { LRUCache } from 'lru-cache';
import type { CommitNotifier } from '../kernel/unit-of-work.js';
import { StoredEntry } from './entry-json.js';
import type { EntryReader } from './entry-store.port.js';

/** Maximum memory of the entries that are kept. */
const maxBytes = 8_388_608;
/** Longer entries are not kept: sending one takes much longer than reading it. */
const maxEntryBytes = 16_384;
/** Memory of an entry that is kept, in addition to its JSON. */
const entryOverheadBytes = 300;

interface Readable extends CommitNotifier {
  readonly committed: { readonly entries: EntryReader };
}

/**
 * Returns the storage, which from now on keeps entries that were read as bytes in memory until a commit changes them.
 * Requires a storage that announces every commit before it is acknowledged, and to which no other process writes.
 */
export function keepRecentEntries<S extends Readable>(storage: S): S {
  const recent = new LRUCache<number, StoredEntry>({
    maxSize: maxBytes,
    sizeCalculation: ({ json }) => json.byteLength + entryOverheadBytes,
  });
  let commits = 0;
  storage.onCommit(({ entries: hasChanged, entryIds }) => {
    if (!hasChanged) return;
    commits += 1;
    if (entryIds) for (const id of entryIds) recent.delete(id);
    else recent.clear();
  });
  const { entries } = storage.committed;
  const find: EntryReader['find'] = async (id) => {
    const known = recent.get(id);
    if (known) return copyOf(known);
    const commitsBefore = commits;
    const found = await entries.find(id);
    // A commit between the read and now may have replaced it.
    if (found && found.json.byteLength <= maxEntryBytes && commits === commitsBefore) recent.set(id, copyOf(found));
    return found;
  };
  const committed = { ...storage.committed, entries: { ...entries, find } };
  return { ...storage, committed };
}

/** Returns an entry of its own for each reader, so that one that is decoded for a reader with restrictions is not kept. */
function copyOf({ id, revision, json }: StoredEntry): StoredEntry {
  return new StoredEntry(id, revision, json);
}
