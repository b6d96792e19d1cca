import type { Readable } from 'node:stream';

/** A file under its SHA-256, in lower-case hex. */
export interface StoredFile {
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Location of the snapshots of replicas, next to the files of attachments. An object appears complete or not at all,
 * and never changes. Any process may read; only the holder of the lease writes.
 */
export interface ReplicaSnapshotStore {
  /** As an operator writes it: an absolute path, or `s3://…`. */
  readonly name: string;
  /** Lists the names of all objects. */
  list(): Promise<string[]>;
  /** Opens an object; undefined when there is none. */
  open(object: string): Promise<Readable | undefined>;
  /** Stores a copy of a local file under a name that is free. When this resolves, the object is durable. */
  store(object: string, path: string, file: StoredFile): Promise<void>;
  /** No effect when there is no such object. */
  remove(object: string): Promise<void>;
  /** Free space of the store, in bytes; undefined: unknown. */
  freeBytes(): Promise<number | undefined>;
  close(): void;
}
