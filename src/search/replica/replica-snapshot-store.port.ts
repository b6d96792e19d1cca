import type { Readable } from 'node:stream';

/** A file identified by its SHA-256, in lower-case hex. */
export interface StoredFile {
  readonly checksum: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Location of the snapshots of replicas, next to the attachment files. An object appears completely or not at all, and
 * never changes. Any process may read; only the holder of the lease writes.
 */
export interface ReplicaSnapshotStore {
  /** Name as an operator writes it: an absolute path, or `s3://…`. */
  readonly name: string;
  /** Lists the names of all objects. */
  list(): Promise<string[]>;
  /** Opens an object; undefined when there is none. */
  open(object: string): Promise<Readable | undefined>;
  /** Stores a copy of a local file under an unused name. When this resolves, the object is durable. */
  store(object: string, path: string, file: StoredFile): Promise<void>;
  /** Removes the object, if it exists. */
  remove(object: string): Promise<void>;
  /** Returns the free space of the store, in bytes; undefined when unknown. */
  freeBytes(): Promise<number | undefined>;
  close(): void;
}
