import { createHash, randomBytes } from 'node:crypto';

export const snapshotFormat = 1;

/** Metadata that the files of a replica contain. */
export interface ReplicaContent {
  readonly storeId: string;
  /** Schema of the database with the entries. */
  readonly schema: number;
  readonly indexFormat: number;
  /** Newest write of the storage that the entries include, see `Followed`. */
  readonly position: string;
  /** Number of the newest redaction that entries and index include; 0: none. */
  readonly redaction: number;
}

/** A compressed file of the replica. */
export interface ReplicaSnapshotPart {
  readonly kind: PartKind;
  /** Size of the uncompressed file. */
  readonly bytes: number;
  /** Size of the compressed object. */
  readonly storedBytes: number;
  /** SHA-256 of the compressed object, in lower-case hex. */
  readonly sha256: string;
}

export type PartKind = 'entries' | 'index';

/** Description of a complete snapshot. */
export interface ReplicaSnapshotManifest {
  readonly format: number;
  /** Version of the program that made the snapshot. */
  readonly product: string;
  readonly name: string;
  /** Time at which the snapshot was begun, in milliseconds since the epoch. */
  readonly takenMs: number;
  readonly content: ReplicaContent;
  readonly parts: readonly ReplicaSnapshotPart[];
}

const namePattern = '\\d{8}-[0-9a-f]{8}';
const objectPattern = new RegExp(`^(${namePattern})[.](manifest|(?:entries|index)[.]gz)([.]part)?$`);

const partKinds: readonly PartKind[] = ['entries', 'index'];
export const manifestObject = (snapshot: string): string => `${snapshot}.manifest`;
export const partObject = (snapshot: string, kind: PartKind): string => `${snapshot}.${kind}.gz`;

/** Returns the name of the snapshot to which an object belongs; undefined for an object of another kind. */
export function snapshotOf(object: string): string | undefined {
  return objectPattern.exec(object)?.[1];
}

export const isManifest = (object: string): boolean =>
  objectPattern.exec(object)?.[2] === 'manifest' && !isPart(object);

const isPart = (object: string): boolean => object.endsWith('.part');

/**
 * Returns a name that sorts after all existing names, regardless of the clocks of the nodes. Two nodes that choose
 * concurrently choose different names.
 */
export function nextSnapshotName(objects: readonly string[]): string {
  const numbers = objects.flatMap((object) => snapshotOf(object)?.slice(0, 8) ?? []).map(Number);
  const number = Math.max(0, ...numbers) + 1;
  return `${String(number).padStart(8, '0')}-${randomBytes(4).toString('hex')}`;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the stored form of the manifest, with the SHA-256 of its content. */
export function encodeManifest(manifest: ReplicaSnapshotManifest): string {
  const text = JSON.stringify(manifest);
  return `${text}\n${hashOf(text)}\n`;
}

/** Thrown when a snapshot cannot be used. The message is the reason for the log. */
export class UnusableReplicaSnapshot extends Error {}

/** @throws UnusableReplicaSnapshot */
export function decodeManifest(name: string, stored: string): ReplicaSnapshotManifest {
  const [text = '', hash] = stored.split('\n');
  if (hash !== hashOf(text)) throw new UnusableReplicaSnapshot('its manifest is damaged');
  const manifest = JSON.parse(text) as ReplicaSnapshotManifest;
  if (manifest.format !== snapshotFormat)
    throw new UnusableReplicaSnapshot('another version of the program has made it');
  const kinds = manifest.parts.map(({ kind }) => kind);
  const isWhole = kinds.length === partKinds.length && partKinds.every((kind) => kinds.includes(kind));
  if (manifest.name !== name || !isWhole) throw new UnusableReplicaSnapshot('its manifest belongs to another snapshot');
  return manifest;
}
