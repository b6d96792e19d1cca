/**
 * Stores thumbnails, any of which may disappear at any time, because they can be recreated. When they exceed the size
 * of the store, the least recently used ones are removed.
 */
export interface ThumbnailStore {
  /**
   * Returns the thumbnail with this key; undefined when there is none, or it is damaged. A key has letters, digits and
   * hyphens.
   */
  find(key: string): Promise<Uint8Array | undefined>;
  /** Stores a thumbnail if possible; a failure, such as a full disk, has no effect. Never rejects. */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Removes the thumbnails whose keys begin with this checksum and a hyphen. */
  removeOf(checksum: string): Promise<void>;
}
