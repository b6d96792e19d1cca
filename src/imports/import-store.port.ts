/**
 * Kind of an imported item. The key of a catalogue item is its name. `note`: notes about an item of another kind;
 * `reserved`: id that is kept for an entry, because another one links to it.
 */
export type ImportedKind =
  | 'entry'
  | 'attachment'
  | 'template'
  | 'tags'
  | 'logbooks'
  | 'levels'
  | 'properties'
  | 'note'
  | 'reserved';

/** Record of an imported item: its key at the source, and the stored item. */
export interface ImportedItem {
  /** Key of the item at its source, unique for its kind. */
  readonly key: string;
  /** Local id or name of the item. */
  readonly target: string;
  /** Revision of the entry after its last import; 0 for other kinds. */
  readonly version: number;
  /** Digest of the content at the source, by which a later run detects changes. */
  readonly digest: string;
}

/**
 * Reads the items that imports from each source have stored so far. A source is identified by a name, such as its
 * address.
 */
export interface ImportReader {
  /** Returns the recorded progress of an import, as JSON; undefined when none is recorded. */
  findState(source: string): Promise<string | undefined>;
  /** Lists the items with these keys that were imported from this source. */
  listKnown(source: string, kind: ImportedKind, keys: readonly string[]): Promise<ImportedItem[]>;
  /** Lists at most `limit` items of a source after the given key, in the text order of their keys. */
  listAfter(source: string, kind: ImportedKind, afterKey: string, limit: number): Promise<ImportedItem[]>;
}

export interface ImportStore extends ImportReader {
  /** Records the progress of an import; replaces the earlier one. */
  putState(source: string, state: string): Promise<void>;
  /** Records items; replaces those with the same keys. */
  putItems(source: string, kind: ImportedKind, items: readonly ImportedItem[]): Promise<void>;
}
