import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplicaSnapshotStoreOptions } from '../../engines/replica-snapshot-options.js';
import { outgoingDir } from '../../engines/sqlite/replica/sqlite-replica.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import { productVersion } from '../../kernel/product.js';
import type { EntryReplica } from '../../search/replica/entry-replica.port.js';
import {
  encodeManifest,
  manifestObject,
  type ReplicaSnapshotManifest,
  snapshotFormat,
} from '../../search/replica/replica-snapshot-manifest.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';
import { runInProcess } from '../run-in-process.js';
import type { ReplicaSnapshotStorage } from './begin-with-snapshot.js';
import type { MakeResult, MakeTask } from './snapshot-task.js';

const program = new URL('./snapshot-process.js', import.meta.url);
/** Lowest CPU priority. */
const niceness = 19;
/** Time limit, which ends the wait for a hung file server. A hundred million entries take much less. */
const limitMs = 6 * 3_600_000;

export interface ReplicaSnapshotSettings {
  readonly storeOptions: ReplicaSnapshotStoreOptions;
  readonly storeId: string;
  /** Absolute path of the replica. */
  readonly replicaDir: string;
  readonly minFreeBytes: number;
}

export interface MadeReplicaSnapshot {
  readonly manifest: ReplicaSnapshotManifest;
}

interface NewReplicaSnapshot {
  readonly name: string;
  readonly takenMs: number;
  readonly replica: EntryReplica;
  readonly store: ReplicaSnapshotStore;
  readonly signal: AbortSignal;
  readonly committed: ReplicaSnapshotStorage;
}

/**
 * Makes a snapshot, which other nodes see when it is complete. Returns undefined if there is nothing useful to copy
 * yet. In that case, `removeSnapshotsExcept` later removes the stored files.
 */
export async function makeSnapshot(
  { storeOptions, storeId, replicaDir, minFreeBytes }: ReplicaSnapshotSettings,
  { name, takenMs, replica, store, signal, committed }: NewReplicaSnapshot,
): Promise<MadeReplicaSnapshot | undefined> {
  const dir = outgoingDir(replicaDir);
  const task: MakeTask = { kind: 'make', storeOptions, storeId, dir, minFreeBytes, name, files: replica.files };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const made = await runInProcess<MakeTask, MakeResult>(program, task, { signal: limited, niceness });
    if (made.kind === 'not-yet') return undefined;
    const { content, parts } = made;
    // This happens after a failover, or after a redaction that the replica has not applied yet.
    if (!(await committed.entryWrites.contains(content.position))) return undefined;
    if ((await committed.redactions.listRedactions(content.redaction, 1)).length > 0) return undefined;
    signal.throwIfAborted();
    const product = productVersion;
    const manifest: ReplicaSnapshotManifest = { format: snapshotFormat, product, name, takenMs, content, parts };
    await storeManifest(manifest, dir, store);
    return { manifest };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Stores the manifest, which makes the snapshot complete and therefore comes last. */
async function storeManifest(
  manifest: ReplicaSnapshotManifest,
  dir: string,
  store: ReplicaSnapshotStore,
): Promise<void> {
  const object = manifestObject(manifest.name);
  const [path, text] = [join(dir, object), encodeManifest(manifest)];
  await makeDirectory(dir, 0o700);
  await writeFile(path, text, { mode: 0o600 });
  const checksum = createHash('sha256').update(text).digest('hex');
  await store.store(object, path, { checksum, size: Buffer.byteLength(text) });
}
