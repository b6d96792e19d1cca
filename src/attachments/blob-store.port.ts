import type { Readable } from 'node:stream';

/** A file that arrived completely and is on stable storage, but that no entry has claimed yet. */
export interface StagedBlob {
  /** SHA-256 of the bytes, lower-case hex. */
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
  /** The first bytes, at most 64 KiB: enough to detect the media type. */
  readonly head: Uint8Array;
}

/** Inclusive byte positions, as in an HTTP range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Files addressed by the SHA-256 of their content. A file lives in three steps: `stage` takes the bytes in under a
 * name nobody can see; `keep` puts it under its address; the entry's own transaction claims it by its checksum.
 * Between `keep` and `release` the file is safe from `removeUnreferenced`.
 */
export interface BlobStore {
  /**
   * Takes in the whole stream, hashing on the way; resolves when every byte is on stable storage.
   * Nothing remains when the stream fails or ends early.
   * @throws Fault too-large `attachment.too-large` past `maxBytes`; full `storage.full`; unavailable `storage.unavailable`
   */
  stage(content: Readable, maxBytes: number): Promise<StagedBlob>;
  /** Forgets a staged file that was not kept. No effect when it was, or when called twice. */
  discard(blob: StagedBlob): Promise<void>;
  /** Puts a staged file under its address, durably; no effect on the content when it is there already. */
  keep(blob: StagedBlob): Promise<void>;
  /** Ends the protection that `keep` gave, once per `keep`. */
  release(blob: StagedBlob): void;
  /**
   * Removes the kept files among `checksums` that are not protected and that `claimed` does not name.
   * Resolves to the number removed.
   */
  removeUnreferenced(
    claimed: (checksums: readonly string[]) => Promise<ReadonlySet<string>>,
    checksums: readonly string[],
  ): Promise<number>;
  /** Counts all kept files that are not protected and that `claimed` does not name. Removes nothing. */
  countUnreferenced(claimed: (checksums: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /**
   * The content, whole or in part.
   * @throws Fault broken `attachment.unreadable` when the file is not there or cannot be read
   */
  open(checksum: string, range?: ByteRange): Promise<Readable>;
}
