import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { createGunzip } from 'node:zlib';
import { readIndexContent, readReplicaContent } from '../../engines/sqlite/replica/replica-copy.js';
import { replicaFile } from '../../engines/sqlite/replica/sqlite-replica.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import {
  partObject,
  type ReplicaSnapshotPart,
  UnusableReplicaSnapshot,
} from '../../search/replica/replica-snapshot-manifest.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';
import { countingHash } from './counting-hash.js';
import { requireFreeBytes } from './require-free-bytes.js';
import type { FetchTask } from './snapshot-task.js';

const chunkSize = 262_144;

/**
 * Creates a directory with the files of a replica. They are verified and durably stored when this resolves.
 * @param onProgress called whenever data has arrived
 * @throws UnusableReplicaSnapshot when the snapshot is damaged, or does not match its manifest
 */
export async function fetchParts(
  { dir, manifest, minFreeBytes }: FetchTask,
  store: ReplicaSnapshotStore,
  onProgress: () => void,
): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await makeDirectory(dir, 0o700);
  const neededBytes = manifest.parts.reduce((sum, { bytes }) => sum + bytes, minFreeBytes);
  await requireFreeBytes(dir, neededBytes);
  for (const part of manifest.parts) await fetchPart(part, { dir, name: manifest.name, store, onProgress });
  const index = await readIndexContent(replicaFile(dir, 'index'), false);
  const content = await readReplicaContent(replicaFile(dir, 'entries'), index, false);
  if (!isDeepStrictEqual(content, manifest.content))
    throw new UnusableReplicaSnapshot('its files are not those of its manifest');
  await syncDirectory(dir);
}

async function fetchPart(
  { kind, sha256, storedBytes, bytes }: ReplicaSnapshotPart,
  {
    dir,
    name,
    store,
    onProgress,
  }: {
    readonly dir: string;
    readonly name: string;
    readonly store: ReplicaSnapshotStore;
    readonly onProgress: () => void;
  },
): Promise<void> {
  const object = await store.open(partObject(name, kind));
  if (!object) throw new UnusableReplicaSnapshot(`its part ${kind} is missing`);
  const file = replicaFile(dir, kind);
  const received = countingHash((sum) => {
    onProgress();
    if (sum > storedBytes) throw new UnusableReplicaSnapshot(`its part ${kind} is damaged`);
  });
  const unpacked = countingHash((sum) => {
    if (sum > bytes) throw new UnusableReplicaSnapshot(`its part ${kind} is damaged`);
  });
  try {
    await pipeline(
      object,
      received.pass,
      createGunzip({ chunkSize }),
      unpacked.pass,
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    );
  } catch (error) {
    // Damaged content often cannot be decompressed.
    const isDamaged = String((error as { code?: unknown }).code).startsWith('Z_');
    throw isDamaged ? new UnusableReplicaSnapshot(`its part ${kind} is damaged`) : error;
  }
  if (received.digest() !== sha256 || unpacked.bytes() !== bytes) {
    throw new UnusableReplicaSnapshot(`its part ${kind} is damaged`);
  }
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
