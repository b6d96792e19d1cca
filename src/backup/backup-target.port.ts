import type { Readable } from 'node:stream';
import type { FileReference } from './file-access.port.js';

/**
 * The folders of a backup target. In `pool`, each object has the SHA-256 of its content as its name; in `damaged`, an empty
 * object has the name of one that is to be stored again.
 */
export type BackupFolder = 'backups' | 'pool' | 'unfinished' | 'damaged';

/** Name of the record, in each target, of the logbook that it belongs to. */
export const targetOwnerName = 'logbook-backups';

/** Names that record as an operator can find it. */
export const describeOwner = ({ name }: Pick<BackupTarget, 'name'>): string => `${name}/${targetOwnerName}`;

export interface StoredObject {
  readonly name: string;
  /** Undefined where that would cost a request. */
  readonly bytes: number | undefined;
}

/**
 * A directory or a bucket with the backups of one logbook. An object appears complete or not at all, and never changes.
 * Only the process that has opened it for writing writes to it.
 */
export interface BackupTarget {
  /** As an operator writes it: an absolute path, or `s3://…`. */
  readonly name: string;
  /** Absolute path of a directory for files that are not stored yet; empty when the target is opened. */
  readonly stagingDir: string;
  /** The logbook that the target belongs to; undefined: none yet. */
  readonly storeId: string | undefined;
  /** Records, durably, to which logbook the target belongs; replaces what is recorded. */
  claim(storeId: string): Promise<void>;
  list(folder: BackupFolder): AsyncIterable<readonly StoredObject[]>;
  /** Opens an object; undefined when there is none. */
  open(folder: BackupFolder, name: string): Promise<Readable | undefined>;
  /** Moves a staged file, which is on the disk, to its name; replaces what is there. `flush` makes that durable. */
  store(folder: BackupFolder, name: string, stagedFile: string, file: FileReference): Promise<void>;
  /** Makes everything durable that was stored. */
  flush(): Promise<void>;
  /** False, and no effect, when there is no such object. */
  remove(folder: BackupFolder, name: string): Promise<boolean>;
  /** Names an object as an operator can find it. */
  describe(folder: BackupFolder, name: string): string;
  close(): Promise<void>;
}
