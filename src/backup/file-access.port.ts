import type { Readable } from 'node:stream';

/** A file under its SHA-256, in lower-case hex. */
export interface FileReference {
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
}

/** State of a file in the store of the service: in use, or in quarantine because nothing refers to it. */
export type FileState = 'stored' | 'quarantined';

/** Reads the files of a logbook without changing or verifying them, even while the service uses them. */
export interface FileReader {
  /** Opens a file, even from quarantine; undefined when there is no such file. */
  open(checksum: string): Promise<{ readonly content: Readable; readonly state: FileState } | undefined>;
  /** Lists the checksums of all files in this state, in batches. */
  list(state: FileState): AsyncIterable<readonly string[]>;
  /** Reads the id of the logbook to which the files belong, as recorded next to them; undefined if none is recorded. */
  findOwner(): Promise<string | undefined>;
  /** Path of the record that names the owner, as shown to operators. */
  readonly ownerRecordPath: string;
  /** Returns the path of a file, for operators. */
  describe(checksum: string, state?: FileState): string;
  close(): Promise<void>;
}

/** Receives the files of a logbook. The target must be empty, except for the remains of an interrupted restore. */
export interface FileRestore {
  /** Returns whether the file is already stored; verifies its content. */
  has(file: FileReference): Promise<boolean>;
  /**
   * Stores a file under its checksum.
   * @throws the error of `content`; nothing is then stored under the checksum
   */
  add(file: FileReference, content: AsyncIterable<Buffer>): Promise<void>;
  /** Makes all files durable, and records that they belong to this logbook. */
  complete(storeId: string): Promise<void>;
  close(): Promise<void>;
}
