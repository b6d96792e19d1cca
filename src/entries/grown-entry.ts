import type { EncodedTexts } from '../ledger/entry-fields.js';
import type { Entry } from './entry.js';
import { encodeEntry, type StoredEntry } from './entry-json.js';

export interface GrownEntry {
  /** The same bytes as those of `encodeEntry`. */
  readonly json: Buffer;
  /** Parts of `json`; undefined if all of it was encoded. */
  readonly texts?: EncodedTexts;
}

const [beforeSource, beforeDescription, afterTexts] = [',"source":', ',"description":', ',"title":'];
const noTexts = `${beforeSource}""${beforeDescription}""`;
const quote = Buffer.from('"');

/**
 * Encodes an entry that extends `former`. Encodes only the added text if the program has just stored `former`, because
 * encoding all of the text would slow down long runs.
 */
export function encodeGrown(next: Entry, former: StoredEntry | undefined): GrownEntry {
  if (!former?.isEncoded) return { json: encodeEntry(next) };
  const before = textsIn(former.json);
  const source = extend(before.source, former.entry.source, next.source);
  const description = extend(before.description, former.entry.description, next.description);
  if (!source || !description) return { json: encodeEntry(next) };
  const rest = encodeEntry({ ...next, source: '', description: '' });
  const at = rest.indexOf(noTexts);
  const json = Buffer.concat([
    rest.subarray(0, at),
    Buffer.from(beforeSource),
    ...source,
    Buffer.from(beforeDescription),
    ...description,
    rest.subarray(at + noTexts.length),
  ]);
  return { json, texts: textsIn(json) };
}

/** Finds the texts by the keys next to them. No string contains such a key, because quotes in strings are escaped. */
function textsIn(json: Buffer): EncodedTexts {
  const source = json.indexOf(beforeSource);
  const description = json.indexOf(beforeDescription, source);
  const end = json.indexOf(afterTexts, description);
  return {
    source: json.subarray(source + beforeSource.length, description),
    description: json.subarray(description + beforeDescription.length, end),
  };
}

/** Returns the JSON of the longer text; undefined if it does not follow from the JSON of the former one. */
function extend(json: Uint8Array, former: string, next: string): Uint8Array[] | undefined {
  // Much faster than `startsWith` on long texts.
  if (next.slice(0, former.length) !== former) return undefined;
  const added = next.slice(former.length);
  // The two surrogates of a character must be encoded together.
  if (/^[\uDC00-\uDFFF]/.test(added)) return undefined;
  return [json.subarray(0, -1), Buffer.from(JSON.stringify(added).slice(1, -1)), quote];
}
