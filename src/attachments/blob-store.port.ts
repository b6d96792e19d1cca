import type { Readable } from 'node:stream';

/** A file that was received completely and is on stable storage, but that no attachment refers to yet. */
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
 * Stores files under the SHA-256 of their content. A file is stored in three steps: `stage` receives the bytes under a
 * temporary name, where they cannot be read; `commit` moves it to its address; the transaction of an entry stores an
 * attachment that refers to it. Between `commit` and `release`, the file is protected from `removeUnreferenced`.
 */
export interface BlobStore {
  /**
   * Receives and hashes the whole stream; resolves when every byte is on stable storage. Nothing remains when the
   * stream fails or ends early; its error is passed on.
   * @throws Fault too-large `attachment.too-large` above `maxBytes`; full `storage.full`;
   *   unavailable `storage.unavailable`
   */
  stage(content: Readable, maxBytes: number): Promise<StagedBlob>;
  /** Removes a staged file. No effect when it was committed or already discarded. */
  discard(blob: StagedBlob): Promise<void>;
  /**
   * Moves a staged file to its address, durably, and protects it. When the same content is already there, that stays as
   * it is. Rejects when the blob was already committed or discarded.
   * @throws Fault full `storage.full`; unavailable `storage.unavailable`
   */
  commit(blob: StagedBlob): Promise<void>;
  /** Ends the protection of a committed file; to be called once for each `commit`. */
  release(blob: StagedBlob): void;
  /**
   * Removes the committed files among `checksums` that are not protected and not in the result of `referenced`.
   * Resolves to the number removed.
   */
  removeUnreferenced(
    referenced: (checksums: readonly string[]) => Promise<ReadonlySet<string>>,
    checksums: readonly string[],
  ): Promise<number>;
  /** Counts all committed files that are not protected and not in a result of `referenced`. Removes nothing. */
  countUnreferenced(referenced: (checksums: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /**
   * Opens the content, whole or in part.
   * @throws Fault broken `attachment.unreadable` when the file is missing or cannot be read
   */
  open(checksum: string, range?: ByteRange): Promise<Readable>;
}
