import { StoredEntry } from '../../entries/entry-json.js';
import type { EntryStorage } from '../../entries/entry-storage.js';
import type { GroupedEntry } from '../../entries/group-entries.js';
import type { ResultCodec } from '../../kernel/write-once.js';

/** An entry in a record. Its revision has the former name. */
interface RecordedEntry {
  readonly id: number;
  readonly version: number;
}

const toRecord = ({ id, revision: version }: GroupedEntry): RecordedEntry => ({ id, version });

export const groupedEntries: ResultCodec<readonly GroupedEntry[]> = {
  toRecord: (entries) => entries.map(toRecord),
  fromRecord: async (record) =>
    (record as readonly RecordedEntry[]).map(({ id, version: revision }) => ({ id, revision })),
};

/** Records only the revision of an entry, because the entry itself is stored anyway. */
export function storedEntries({ committed }: Pick<EntryStorage, 'committed'>): ResultCodec<StoredEntry> {
  return {
    toRecord,
    async fromRecord(record) {
      const { id, version } = record as RecordedEntry;
      const json = await committed.entries.findJson(id, version);
      if (!json) throw new Error(`version ${version} of entry ${id} is not stored`);
      return new StoredEntry(id, version, json);
    },
  };
}
