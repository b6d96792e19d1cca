import { damagedEntry } from '../entries/damaged-entry.js';
import { encodeEntry } from '../entries/entry-json.js';
import type { EntryReader } from '../entries/entry-store.port.js';
import { isDamage } from '../entries/unless-damaged.js';
import { jsonArrayChunks } from '../kernel/json-array.js';
import type { EntryRevision, PageEntries } from './search-index.port.js';

/** Yields the entries of a page as a JSON array, chunk by chunk. */
export async function* pageChunks(
  entries: PageEntries,
  reader: Pick<EntryReader, 'findJson'>,
): AsyncGenerator<Uint8Array> {
  if (entries.kind === 'joined') {
    yield entries.json;
    return;
  }
  if (entries.kind === 'begun') throw new Error('the rest of this page is shown by the search index');
  const documents = async function* () {
    for (const { id, revision } of entries.versions) {
      const json = await reader.findJson(id, revision).catch((error: unknown) => {
        if (isDamage(error)) return encodeEntry(damagedEntry(id));
        throw error;
      });
      if (!json) throw new Error(`entry ${id} is not stored`);
      yield json;
    }
  };
  yield* jsonArrayChunks(documents());
}

/** Shows the next entries of a page in its view. */
export type ShowMore = (versions: readonly EntryRevision[]) => Promise<PageEntries>;

/** Yields the entries of a page in a view as a JSON array. Each chunk is made after the previous one was consumed. */
export async function* shownChunks(
  first: Extract<PageEntries, { kind: 'begun' }>,
  showMore: ShowMore,
): AsyncGenerator<Uint8Array> {
  let piece: PageEntries = first;
  yield piece.json.subarray(0, -1);
  while (piece.kind === 'begun') {
    piece = await showMore(piece.rest);
    if (piece.kind === 'long') throw new Error('a page in a view is never a list of versions');
    yield Buffer.from(',');
    yield piece.json.subarray(1, -1);
  }
  yield Buffer.from(']');
}
