import { LRUCache } from 'lru-cache';
import type { CommitNotifier } from '../kernel/unit-of-work.js';
import { StoredEntry } from './entry-json.js';
import type { EntryReader } from './entry-store.port.js';

/** Maximum memory of the cached entries, in bytes. */
const maxBytes = 8_388_608;
/** Maximum size of a cached entry. Sending a longer one takes much more time than reading it. */
const maxEntryBytes = 16_384;
/** Memory of a cached entry in addition to its JSON. */
const entryOverheadBytes = 300;

interface Readable extends CommitNotifier {
  readonly committed: { readonly entries: EntryReader };
}

/**
 * Returns the storage with a cache of entries. A commit removes the entries that it changes from the cache. Requires a
 * storage that announces every commit before it is acknowledged, and to which no other process writes.
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
    // A commit during the read may have replaced the entry.
    if (found && found.json.byteLength <= maxEntryBytes && commits === commitsBefore) recent.set(id, copyOf(found));
    return found;
  };
  const committed = { ...storage.committed, entries: { ...entries, find } };
  return { ...storage, committed };
}

/**
 * Returns a copy for a reader, so that the cache does not keep the decoded form, which the copy creates on first use.
 */
function copyOf({ id, revision, json }: StoredEntry): StoredEntry {
  return new StoredEntry(id, revision, json);
}
