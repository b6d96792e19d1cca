import type { Readable } from 'node:stream';

/** A file under its SHA-256, in lower-case hex. */
export interface FileReference {
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
}

/** State in which the service would find a file. */
export type FileState = 'stored' | 'quarantined';

/** Reads the files of a logbook, also while the service uses them, and changes nothing. Contents are not verified. */
export interface FileReader {
  /** Opens a file, also from quarantine; undefined when there is none. */
  open(checksum: string): Promise<{ readonly content: Readable; readonly state: FileState } | undefined>;
  /** Lists the checksums of all files in this state, in batches. */
  list(state: FileState): AsyncIterable<readonly string[]>;
  /** Reads to which logbook the files belong, as recorded next to them; undefined when nothing is. */
  findOwner(): Promise<string | undefined>;
  /** Names that record as an operator can read it. */
  readonly ownerName: string;
  /** Names the path of a file as an operator can read it. */
  describe(checksum: string, state?: FileState): string;
  close(): Promise<void>;
}

/** Takes the files of a logbook, where there are none but those that an interrupted restore has left. */
export interface FileRestore {
  /** Whether the file is there already; its content is verified. */
  has(file: FileReference): Promise<boolean>;
  /** Stores a file, which is at its address when this resolves. @throws what `content` throws; nothing is at the address then */
  add(file: FileReference, content: AsyncIterable<Buffer>): Promise<void>;
  /** Makes all files durable, and records that they belong to this logbook. */
  complete(storeId: string): Promise<void>;
  close(): Promise<void>;
}
