import { StoredEntry } from '../../entries/entry-json.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import type { ResultCodec } from '../../kernel/write-once.js';

/** Records only the number of a version of an entry, because its document is stored anyway. */
export function storedEntries({ committed }: Pick<EntryStorage, 'committed'>): ResultCodec<StoredEntry> {
  return {
    toRecord: ({ id, revision: version }) => ({ id, version }),
    async fromRecord(record) {
      const { id, version } = record as { readonly id: number; readonly version: number };
      const json = await committed.entries.findJson(id, version);
      if (!json) throw new Error(`version ${version} of entry ${id} is not stored`);
      return new StoredEntry(id, version, json);
    },
  };
}
