import type { Readable } from 'node:stream';
import type { EntryReader } from '../entries/entry-store.port.js';
import { arrayPieces, streamOf } from '../http/json-stream.js';
import type { PageEntries } from './search-index.port.js';

type Reader = Pick<EntryReader, 'findJson'>;

/**
 * The entries of a page as a JSON array with something before and behind it, to be sent.
 * @param taken resolves when the client has taken what was sent: the next of a long page is read only then
 */
export function pageJson(
  entries: PageEntries,
  reader: Reader,
  taken: () => Promise<void>,
  { before = '', behind = '' } = {},
): Buffer | Readable {
  if (entries.kind === 'joined') {
    const { buffer, byteOffset, byteLength } = entries.json;
    const json = Buffer.from(buffer, byteOffset, byteLength);
    return before + behind === '' ? json : Buffer.concat([Buffer.from(before), json, Buffer.from(behind)]);
  }
  const pieces = async function* () {
    if (before !== '') yield Buffer.from(before);
    yield* piecesOf(entries, reader);
    if (behind !== '') yield Buffer.from(behind);
  };
  return streamOf(pieces(), taken);
}

/** The entries of a page as a JSON array, piece by piece. */
export async function* piecesOf(entries: PageEntries, reader: Reader): AsyncGenerator<Uint8Array> {
  if (entries.kind === 'joined') {
    yield entries.json;
    return;
  }
  const documents = async function* () {
    for (const { id, version } of entries.versions) {
      const json = await reader.findJson(id, version);
      if (!json) throw new Error(`entry ${id} is not stored`);
      yield json;
    }
  };
  yield* arrayPieces(documents());
}
