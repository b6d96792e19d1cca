import type { Readable } from 'node:stream';
import type { HealthSource } from '../kernel/health.js';

/** Maximum number of bytes at the beginning of a file by which its media type and encoding are detected. */
export const headBytes = 65_536;

/** A file that was received completely and is on stable storage, but that no attachment refers to yet. */
export interface StagedBlob {
  /** SHA-256 of the bytes, lower-case hex. */
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
  /** The first `headBytes`, or the whole of a shorter file. */
  readonly head: Uint8Array;
}

/** Inclusive byte positions, as in an HTTP range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A committed file as an attachment refers to it. */
export interface BlobReference {
  /** SHA-256 of the bytes, lower-case hex. */
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
}

/** `damaged`: the stored bytes are not those that were committed. */
export type BlobCondition = 'intact' | 'damaged' | 'missing';

/** Location of the files, without secrets. */
export interface BlobStoreStatus {
  readonly engine: string;
  /** Configured servers; none for the local disk. `state`: `CONNECTED`, or the reason why it is not in use. */
  readonly servers: readonly { readonly address: string; readonly state: string }[];
}

/** Returns the checksums that an attachment or a draft refers to. */
export type FindReferenced = (checksums: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Stores files under the SHA-256 of their content. A file is stored in three steps: `stage` receives the bytes under a
 * temporary name, where they cannot be read; `commit` moves it to its address; the transaction of an entry stores an
 * attachment that refers to it. Between `commit` and `release`, the file is protected from removal and quarantine.
 *
 * An unreferenced file may still be needed if the database is a wrong or an older one. It is therefore first moved into
 * quarantine, where it can still be found.
 *
 * Every method that reaches the stored files rejects with unavailable `storage.unavailable` when a remote store does
 * not answer in time.
 */
export interface BlobStore extends HealthSource {
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
   * Moves a staged file to its address, durably, and protects it. Replaces a file with the same content, which repairs
   * it if it is damaged. Rejects when the blob was already committed or discarded.
   * @throws Fault full `storage.full`; unavailable `storage.unavailable`
   */
  commit(blob: StagedBlob): Promise<void>;
  /** Ends the protection of a committed file; to be called once for each `commit`. */
  release(blob: StagedBlob): void;
  /**
   * Removes the files that the commits of these blobs added, unless they are protected or referenced. A file that was
   * there before its commit stays. Resolves to the number removed. A store that several nodes share moves them into
   * quarantine instead, because another node may be committing the same content.
   */
  removeUnreferenced(referenced: FindReferenced, blobs: readonly StagedBlob[]): Promise<number>;
  /** Lists the checksums of all committed files that are neither protected nor in quarantine, in batches. */
  list(): AsyncIterable<readonly string[]>;
  /** Moves the files that are neither protected nor referenced into quarantine. Resolves to their checksums. */
  quarantine(referenced: FindReferenced, checksums: readonly string[]): Promise<string[]>;
  /** Lists the checksums of the files in quarantine, in batches. */
  listQuarantined(): AsyncIterable<readonly string[]>;
  /** Moves a file out of quarantine. No effect if it is not in quarantine. */
  restore(checksum: string): Promise<void>;
  /** Permanently removes a file from quarantine. No effect if it is not in quarantine. */
  removeQuarantined(checksum: string): Promise<void>;
  /**
   * Opens the whole content or a part of it, even from quarantine. The stream yields exactly the requested bytes or
   * fails. The content is verified when it is read for the first time since the start or since the file changed: the
   * stream of a damaged file fails before its last byte.
   * @param signal ends the verification when it is no longer needed
   * @throws the reason of `signal` when it aborts before the stream is open
   * @throws Fault broken `attachment.unreadable` when the file is missing, damaged or cannot be read
   */
  open(file: BlobReference, range?: ByteRange, signal?: AbortSignal): Promise<Readable>;
  /**
   * Reads the whole file and compares it with its checksum and size.
   * @param pace called after each chunk with its size in bytes; the next is read when it resolves
   * @throws the error of `pace`; unavailable `storage.unavailable` when the disk cannot be read
   */
  verify(file: BlobReference, pace?: (bytes: number) => Promise<void>): Promise<BlobCondition>;
  /** Returns the state of each server. */
  status(): Promise<BlobStoreStatus>;
}
