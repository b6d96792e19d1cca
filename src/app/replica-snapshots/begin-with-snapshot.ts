import type { ReplicaSnapshotStoreOptions } from '../../engines/replica-snapshot-options.js';
import { isUsable } from '../../engines/sqlite/replica/replica-copy.js';
import type { EntryWriteReader } from '../../entries/entry-writes.port.js';
import type { RedactionReader } from '../../entries/redaction-store.port.js';
import type { Log } from '../../kernel/log.js';
import type { ReplicaSnapshotManifest } from '../../search/replica/replica-snapshot-manifest.js';
import { ProcessFailed, runInProcess } from '../run-in-process.js';
import { withSnapshotStore } from './open-snapshot-store.js';
import { type FoundReplicaSnapshot, listSnapshots } from './snapshot-list.js';
import type { FetchTask } from './snapshot-task.js';

/**
 * CPU priority below that of requests, but not the lowest, because the node cannot search before the snapshot is there.
 */
const niceness = 5;
/** Time without any data after which a snapshot is given up. */
const idleLimitMs = 120_000;
const program = new URL('./snapshot-process.js', import.meta.url);

export interface ReplicaSnapshotStorage {
  readonly entryWrites: Pick<EntryWriteReader, 'contains'>;
  readonly redactions: Pick<RedactionReader, 'listRedactions'>;
}

interface Deps {
  readonly storeOptions: ReplicaSnapshotStoreOptions;
  readonly storeId: string;
  readonly minFreeBytes: number;
  readonly committed: ReplicaSnapshotStorage;
  readonly log: Log;
}

/**
 * Returns the function that starts the replica of a new node from the newest suitable snapshot, see
 * `ReplicaOptions.seed`. It uses each snapshot only once, so that a damaged snapshot cannot damage the replica a second
 * time.
 */
export function snapshotSeed(deps: Deps): (dir: string, signal: AbortSignal) => Promise<boolean> {
  const used = new Set<string>();
  return async (dir, signal) => {
    const found = await list(deps);
    if (found.kind === 'failed') return withoutSnapshot(deps, found.reason);
    const reasons: string[] = [];
    for (const snapshot of found.snapshots) {
      const reason =
        snapshot.kind === 'unusable' ? snapshot.reason : await use(deps, snapshot.manifest, { dir, signal, used });
      if (reason === undefined) return true;
      reasons.push(`${snapshot.name}: ${reason}`);
    }
    return withoutSnapshot(deps, reasons.length === 0 ? 'there is none' : reasons.join('; '));
  };
}

function withoutSnapshot({ log }: Deps, reason: string): false {
  log.info({ reason }, 'no snapshot of a replica is used; all entries are copied from the database');
  return false;
}

type Listed =
  | { readonly kind: 'listed'; readonly snapshots: readonly FoundReplicaSnapshot[] }
  | { readonly kind: 'failed'; readonly reason: string };

async function list(deps: Deps): Promise<Listed> {
  try {
    return { kind: 'listed', snapshots: await withSnapshotStore(deps, listSnapshots) };
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

/** Returns the reason why the snapshot is not used; undefined when the directory contains its files. */
async function use(
  deps: Deps,
  manifest: ReplicaSnapshotManifest,
  { dir, signal, used }: { readonly dir: string; readonly signal: AbortSignal; readonly used: Set<string> },
): Promise<string | undefined> {
  const problem = used.has(manifest.name)
    ? 'the replica that started from it was unusable'
    : await check(deps, manifest);
  if (problem !== undefined) return problem;
  const { storeOptions, storeId, minFreeBytes, log } = deps;
  const startedMs = performance.now();
  const task: FetchTask = { kind: 'fetch', storeOptions, storeId, dir, minFreeBytes, manifest };
  try {
    await runInProcess(program, task, { signal, niceness, idleLimitMs });
  } catch (error) {
    if (error instanceof ProcessFailed) return error.message;
    throw error;
  }
  // The check is repeated, because searches would find content that was removed in the meantime.
  const changed = await check(deps, manifest);
  if (changed !== undefined) return changed;
  used.add(manifest.name);
  const details = {
    snapshot: manifest.name,
    takenAt: new Date(manifest.takenMs).toISOString(),
    bytes: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0),
    durationMs: Math.round(performance.now() - startedMs),
  };
  log.info(details, 'replica started from a snapshot');
  return undefined;
}

/**
 * Returns the reason why a snapshot does not fit the database or this version of the program; undefined when it fits.
 */
async function check({ storeId, committed }: Deps, { content }: ReplicaSnapshotManifest): Promise<string | undefined> {
  if (content.storeId !== storeId) return `it belongs to the logbook ${content.storeId}`;
  if (!isUsable(content)) return 'it was made by another version of the program';
  if (!(await committed.entryWrites.contains(content.position))) {
    return 'it contains writes that the database does not have';
  }
  const [newer] = await committed.redactions.listRedactions(content.redaction, 1);
  return newer ? 'it is from before a redaction' : undefined;
}
