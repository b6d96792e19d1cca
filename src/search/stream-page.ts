import { damagedEntry } from '../entries/damaged-entry.js';
import { encodeEntry } from '../entries/entry-json.js';
import type { EntryReader } from '../entries/entry-store.port.js';
import { Fault } from '../kernel/fault.js';
import { jsonArrayChunks } from '../kernel/json-array.js';
import type { PageEntries } from './search-index.port.js';

/** Yields the entries of a page as a JSON array, chunk by chunk. */
export async function* pageChunks(
  entries: PageEntries,
  reader: Pick<EntryReader, 'findJson'>,
): AsyncGenerator<Uint8Array> {
  if (entries.kind === 'joined') {
    yield entries.json;
    return;
  }
  const documents = async function* () {
    for (const { id, version } of entries.versions) {
      const json = await reader.findJson(id, version).catch((error: unknown) => {
        if (error instanceof Fault && error.code === 'storage.damaged') return encodeEntry(damagedEntry(id));
        throw error;
      });
      if (!json) throw new Error(`entry ${id} is not stored`);
      yield json;
    }
  };
  yield* jsonArrayChunks(documents());
}
