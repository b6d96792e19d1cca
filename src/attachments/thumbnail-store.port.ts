/**
 * Stores thumbnails, which can be recreated: any of them may be gone at any time. The ones that were not used for the
 * longest time are removed when all together exceed the size of the store.
 */
export interface ThumbnailStore {
  /** Returns the thumbnail under this key, letters, digits and hyphens; undefined when there is none, or it is damaged. */
  find(key: string): Promise<Uint8Array | undefined>;
  /** Stores a thumbnail, unless that is not possible, such as on a full disk. Never rejects. */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Removes the thumbnails whose keys begin with this checksum and a hyphen. */
  removeOf(checksum: string): Promise<void>;
}
