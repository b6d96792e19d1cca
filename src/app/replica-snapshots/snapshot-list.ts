import type { Readable } from 'node:stream';
import {
  decodeManifest,
  isManifest,
  type ReplicaSnapshotManifest,
  snapshotOf,
  UnusableReplicaSnapshot,
} from '../../search/replica/replica-snapshot-manifest.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';

/**
 * Maximum number of listed snapshots. More than two exist only while one is made, or after a node lost its lease
 * unnoticed.
 */
const maxListed = 5;
/** Maximum size of a manifest. A real one has less than a thousand bytes. */
const maxManifestBytes = 65_536;

/** A complete snapshot, or the reason why one is unusable. */
export type FoundReplicaSnapshot =
  | { readonly kind: 'complete'; readonly name: string; readonly manifest: ReplicaSnapshotManifest }
  | { readonly kind: 'unusable'; readonly name: string; readonly reason: string };

/** Lists the snapshots that have a manifest, newest first. */
export async function listSnapshots(store: ReplicaSnapshotStore): Promise<FoundReplicaSnapshot[]> {
  const found: FoundReplicaSnapshot[] = [];
  for (const object of (await store.list()).filter(isManifest).sort().reverse().slice(0, maxListed)) {
    const content = await store.open(object);
    const name = snapshotOf(object);
    // The manifest was removed after it was listed.
    if (!content || name === undefined) continue;
    found.push(readManifest(name, await readStart(content)));
  }
  return found;
}

/** Reads the beginning of a manifest. A truncated one does not match its hash. */
async function readStart(content: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxManifestBytes) break;
  }
  return Buffer.concat(chunks).toString();
}

function readManifest(name: string, stored: string): FoundReplicaSnapshot {
  try {
    return { kind: 'complete', name, manifest: decodeManifest(name, stored) };
  } catch (error) {
    if (!(error instanceof UnusableReplicaSnapshot)) throw error;
    return { kind: 'unusable', name, reason: error.message };
  }
}

/** Removes all objects of snapshots except those of the named ones. Other objects stay. */
export async function removeSnapshotsExcept(store: ReplicaSnapshotStore, kept: readonly string[]): Promise<number> {
  const removed = (await store.list()).filter((object) => {
    const name = snapshotOf(object);
    return name !== undefined && !kept.includes(name);
  });
  // Manifests are removed first, so that no node begins to read the parts.
  removed.sort((a, b) => Number(isManifest(b)) - Number(isManifest(a)));
  for (const object of removed) await store.remove(object);
  return removed.length;
}
