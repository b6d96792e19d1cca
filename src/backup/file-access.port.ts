import type { Readable } from 'node:stream';

/** A file under its SHA-256, in lower-case hex. */
export interface FileReference {
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
}

/** State in which the service would find a file. */
export type FileState = 'stored' | 'quarantined';

/** Reads the files of a logbook, even while the service uses them, and changes nothing. Contents are not verified. */
export interface FileReader {
  /** Opens a file, even from quarantine; undefined when there is no such file. */
  open(checksum: string): Promise<{ readonly content: Readable; readonly state: FileState } | undefined>;
  /** Lists the checksums of all files in this state, in batches. */
  list(state: FileState): AsyncIterable<readonly string[]>;
  /** Reads the id of the logbook to which the files belong, as recorded next to them; undefined if none is recorded. */
  findOwner(): Promise<string | undefined>;
  /** Names that record as an operator can read it. */
  readonly ownerName: string;
  /** Names the path of a file as an operator can read it. */
  describe(checksum: string, state?: FileState): string;
  close(): Promise<void>;
}

/** Takes the files of a logbook. The target must be empty, except for the remains of an interrupted restore. */
export interface FileRestore {
  /** Returns whether the file is already stored; verifies its content. */
  has(file: FileReference): Promise<boolean>;
  /**
   * Stores a file under its address.
   * @throws what `content` throws; nothing is stored under the address then
   */
  add(file: FileReference, content: AsyncIterable<Buffer>): Promise<void>;
  /** Makes all files durable, and records that they belong to this logbook. */
  complete(storeId: string): Promise<void>;
  close(): Promise<void>;
}
