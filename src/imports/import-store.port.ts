/** Kind of an imported item. The key of a catalogue item is its name. `note`: notes about an item of another kind. */
export type ImportedKind = 'entry' | 'attachment' | 'template' | 'tags' | 'logbooks' | 'levels' | 'properties' | 'note';

/** Which item of a source became which one here. */
export interface ImportedItem {
  /** Key of the item at its source, unique for its kind. */
  readonly key: string;
  /** The id or the name of the item here. */
  readonly target: string;
  /** Revision of the entry as the import stored it last; 0 for other kinds. */
  readonly version: number;
  /** Digest of the content at the source: a different one shows that it has changed since. */
  readonly digest: string;
}

/**
 * Reads the items that imports from each source have stored so far. A source is identified by a name, such as its
 * address.
 */
export interface ImportReader {
  /** Returns what an import recorded of its progress, as JSON; undefined when it has recorded nothing. */
  findState(source: string): Promise<string | undefined>;
  /** Lists those of the items that an import from this source has brought. */
  listKnown(source: string, kind: ImportedKind, keys: readonly string[]): Promise<ImportedItem[]>;
  /** Lists items of a source in the order of their keys as text, after the given key, at most `limit`. */
  listAfter(source: string, kind: ImportedKind, afterKey: string, limit: number): Promise<ImportedItem[]>;
}

export interface ImportStore extends ImportReader {
  /** Records the progress of an import, in place of what it recorded before. */
  putState(source: string, state: string): Promise<void>;
  /** Records items, in place of those with the same keys. */
  putItems(source: string, kind: ImportedKind, items: readonly ImportedItem[]): Promise<void>;
}
