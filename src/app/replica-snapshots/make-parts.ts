import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  copyReplicaFile,
  type IndexContent,
  readIndexContent,
  readReplicaContent,
} from '../../engines/sqlite/replica/replica-copy.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import { type PartKind, partObject, type ReplicaSnapshotPart } from '../../search/replica/replica-snapshot-manifest.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';
import { countingHash } from './counting-hash.js';
import { requireFreeBytes } from './require-free-bytes.js';
import type { MakeResult, MakeTask } from './snapshot-task.js';

/** Higher levels take several times as long, but save only a few percent. */
const compressionLevel = 1;
const chunkSize = 262_144;
/** Space for the copies and their compressed forms, as a multiple of the size of the copied files. */
const neededShare = 1.5;

/** Stores the parts of a snapshot. Nodes do not use them until there is a manifest. */
export async function makeParts(task: MakeTask, snapshotStore: ReplicaSnapshotStore): Promise<MakeResult> {
  const { dir, files } = task;
  await rm(dir, { recursive: true, force: true });
  await makeDirectory(dir, 0o700);
  try {
    return await copyAndStore(task, snapshotStore);
  } catch (error) {
    // The index or the whole replica was replaced. The new one can be copied soon.
    const isReplaced = !existsSync(files.index) || !existsSync(files.entries);
    if (isReplaced) return { kind: 'not-yet' };
    throw error;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function copyAndStore(task: MakeTask, snapshotStore: ReplicaSnapshotStore): Promise<MakeResult> {
  const { dir, files, minFreeBytes } = task;
  if (!(await readReplicaContent(files.entries, await readIndexContent(files.index, true), true))) {
    return { kind: 'not-yet' };
  }
  const bytes = (await sizeOf(files.entries)) + (await sizeOf(files.index));
  await requireFreeBytes(dir, bytes * neededShare + minFreeBytes);
  // The index is copied first, because the entries must include everything in the index, but may be newer.
  let index: IndexContent | undefined;
  const indexPart = await makePart(task, 'index', async (copy) => {
    index = await readIndexContent(copy, false);
  });
  let content: Awaited<ReturnType<typeof readReplicaContent>>;
  const entriesPart = await makePart(task, 'entries', async (copy) => {
    content = index && (await readReplicaContent(copy, index, false));
  });
  // The replica has applied a redaction in the meantime, or was replaced.
  if (!content) return { kind: 'not-yet' };
  const parts = [entriesPart, indexPart];
  await requireSpaceFor(snapshotStore, parts, minFreeBytes);
  for (const part of parts) await store(task, part, snapshotStore);
  return { kind: 'made', content, parts };
}

async function makePart(
  { dir, files, name }: MakeTask,
  kind: PartKind,
  read: (copy: string) => Promise<void>,
): Promise<ReplicaSnapshotPart> {
  const copy = join(dir, `${kind}.sqlite`);
  await copyReplicaFile(kind, files[kind], copy);
  await read(copy);
  const bytes = await sizeOf(copy);
  const hash = countingHash();
  await pipeline(
    createReadStream(copy, { highWaterMark: chunkSize }),
    createGzip({ level: compressionLevel, chunkSize }),
    hash.pass,
    createWriteStream(join(dir, partObject(name, kind)), { flags: 'wx', mode: 0o600 }),
  );
  await rm(copy);
  return { kind, bytes, storedBytes: hash.bytes(), sha256: hash.digest() };
}

async function requireSpaceFor(
  snapshotStore: ReplicaSnapshotStore,
  parts: readonly ReplicaSnapshotPart[],
  minFreeBytes: number,
): Promise<void> {
  const neededBytes = parts.reduce((sum, { storedBytes }) => sum + storedBytes, minFreeBytes);
  const freeBytes = await snapshotStore.freeBytes();
  if (freeBytes === undefined || freeBytes >= neededBytes) return;
  throw new Error(`The disk with ${snapshotStore.name} has too little space for a snapshot.`);
}

async function store(
  { dir, name }: MakeTask,
  { kind, sha256, storedBytes }: ReplicaSnapshotPart,
  snapshotStore: ReplicaSnapshotStore,
) {
  const object = partObject(name, kind);
  await snapshotStore.store(object, join(dir, object), { checksum: sha256, size: storedBytes });
}

const sizeOf = async (file: string): Promise<number> => (await stat(file)).size;
