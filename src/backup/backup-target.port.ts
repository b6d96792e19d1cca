import type { Readable } from 'node:stream';
import type { FileReference } from './file-access.port.js';

/**
 * The folders of a backup target. In `pool`, each object has the SHA-256 of its content as its name; in `damaged`, an
 * empty object has the name of an object of `pool` that must be stored again.
 */
export type BackupFolder = 'backups' | 'pool' | 'unfinished' | 'damaged';

/** Name of the record in each target that says to which logbook the target belongs. */
export const targetOwnerName = 'logbook-backups';

/** Returns the location of the record of the owner, for operators. */
export const describeOwner = ({ name }: Pick<BackupTarget, 'name'>): string => `${name}/${targetOwnerName}`;

export interface StoredObject {
  readonly name: string;
  /** Undefined if finding out would need a request. */
  readonly bytes: number | undefined;
}

/**
 * A directory or a bucket with the backups of one logbook. An object appears complete or not at all, and never changes.
 * Only the process that has opened it for writing writes to it.
 */
export interface BackupTarget {
  /** As an operator writes it: an absolute path, or `s3://…`. */
  readonly name: string;
  /** Absolute path of a directory for files that are not stored yet. It is empty when the target is opened. */
  readonly stagingDir: string;
  /** The logbook that the target belongs to; undefined: none yet. */
  readonly storeId: string | undefined;
  /** Durably records the logbook to which the target belongs; replaces an earlier record. */
  claim(storeId: string): Promise<void>;
  list(folder: BackupFolder): AsyncIterable<readonly StoredObject[]>;
  /** Opens an object; undefined when there is none. */
  open(folder: BackupFolder, name: string): Promise<Readable | undefined>;
  /**
   * Moves a staged file, which was written durably, to its name, where it replaces another. `flush` makes the move
   * durable.
   */
  store(folder: BackupFolder, name: string, stagedFile: string, file: FileReference): Promise<void>;
  /** Makes all stored objects durable. */
  flush(): Promise<void>;
  /** Removes an object. Returns false when there is none. */
  remove(folder: BackupFolder, name: string): Promise<boolean>;
  /** Returns the location of an object, for operators. */
  describe(folder: BackupFolder, name: string): string;
  close(): Promise<void>;
}
