import { randomUUID } from 'node:crypto';
import { type BigIntStats, constants, unlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type {
  BlobCondition,
  BlobReference,
  BlobStore,
  BlobStoreStatus,
  ByteRange,
  FindReferenced,
  StagedBlob,
} from '../../attachments/blob-store.port.js';
import { Fault } from '../../kernel/fault.js';
import type { HealthCheck } from '../../kernel/health.js';
import { fileSystemFault } from '../../kernel/storage-faults.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { unlessMissing } from '../../kernel/unless-missing.js';
import { BlobProtection } from '../blob-protection.js';
import { receive } from '../receive-blob.js';
import { DamagedFile, unreadableFile, VerifiedBlobs, verifiedFirstBytes, verifyContent } from '../verified-blobs.js';
import { folders, prepareFolders } from './blob-folders.js';
import { DirectoryCheck } from './directory-check.js';
import { ifPresent, Quarantine } from './quarantine.js';
import { checkSize, readWhole, streamRange, streamVerified, versionOf } from './verified-file.js';

/** Flags that prevent a named pipe in place of a file from blocking. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;
/** Maximum number of checksums per query. */
const batchSize = 200;

export interface FileBlobStoreOptions {
  readonly dir: string;
  /** Name of this node if several nodes share the directory; undefined: only this process uses it. */
  readonly node?: string;
  /** Called when a file turns out to be damaged or missing. `reason` describes the damage for the operator. */
  readonly onDamage?: (checksum: string, condition: 'damaged' | 'missing', reason: string) => void;
  /** Called when a file was verified or stored. */
  readonly onIntact?: (checksum: string) => void;
}

/**
 * Opens the blob store in `dir`: `incoming/` holds staged files, `ab/abcdef…` stored ones, and `quarantine/` those
 * without an attachment. A file moves by renaming after its bytes are on disk; then the directory is synced. If nodes
 * share the directory, each run stages in its own `incoming/NODE/RUN/`.
 */
export async function openFileBlobStore(options: FileBlobStoreOptions): Promise<BlobStore> {
  return new FileBlobStore(options, await prepareFolders(options.dir, options.node));
}

class FileBlobStore implements BlobStore {
  private readonly stagedFiles = new WeakMap<StagedBlob, string>();
  /** Blobs whose commit added a file. */
  private readonly added = new WeakSet<StagedBlob>();
  private readonly protection = new BlobProtection();
  private readonly verified = new VerifiedBlobs();
  private readonly dir: string;
  private readonly quarantined: Quarantine;
  private readonly directory: DirectoryCheck;

  constructor(
    private readonly options: FileBlobStoreOptions,
    private readonly incoming: string,
  ) {
    this.dir = options.dir;
    this.directory = new DirectoryCheck(this.dir);
    this.quarantined = new Quarantine(join(this.dir, 'quarantine'));
  }

  async stage(content: Readable, maxBytes: number): Promise<StagedBlob> {
    const file = join(this.incoming, randomUUID());
    const blob = await receive(content, maxBytes, file, (path) => this.createStaged(path));
    this.stagedFiles.set(blob, file);
    return blob;
  }

  private async createStaged(file: string): Promise<FileHandle> {
    const create = () => open(file, 'wx', 0o600);
    if (this.options.node === undefined) return create();
    const handle = await unlessMissing(create);
    if (handle) return handle;
    // While this node was idle, another node with the same name may have removed the folder as abandoned. Its parent is
    // never created, so that nothing is written to the mount point of an unmounted disk.
    await mkdir(this.incoming, { mode: 0o700 });
    return create();
  }

  async discard(blob: StagedBlob): Promise<void> {
    const file = this.stagedFiles.get(blob);
    this.stagedFiles.delete(blob);
    if (file !== undefined) await rm(file, { force: true });
  }

  async commit(blob: StagedBlob): Promise<void> {
    const staged = this.stagedFiles.get(blob);
    if (staged === undefined) throw new Error('this blob was already committed or discarded');
    await this.protection.hold(blob.checksum);
    try {
      const file = this.pathOf(blob.checksum);
      const isNew = !(await exists(file));
      await rename(staged, file);
      if (isNew) this.added.add(blob);
      this.stagedFiles.delete(blob);
      await syncDirectory(dirname(file));
      this.options.onIntact?.(blob.checksum);
    } catch (error) {
      this.release(blob);
      throw fileSystemFault(error);
    }
  }

  release({ checksum }: StagedBlob): void {
    this.protection.release(checksum);
  }

  async removeUnreferenced(referenced: FindReferenced, blobs: readonly StagedBlob[]): Promise<number> {
    const checksums = blobs.filter((blob) => this.added.has(blob)).map(({ checksum }) => checksum);
    // This node cannot know whether another node is about to refer to the same content.
    if (this.options.node !== undefined) return (await this.quarantine(referenced, checksums)).length;
    const removed = await this.protection.takeAway(referenced, checksums, (checksum) =>
      ifPresent(() => unlinkSync(this.pathOf(checksum))),
    );
    return removed.length;
  }

  quarantine(referenced: FindReferenced, checksums: readonly string[]): Promise<string[]> {
    return this.protection.takeAway(referenced, checksums, (checksum) =>
      this.quarantined.take(this.pathOf(checksum), checksum),
    );
  }

  async *list(): AsyncGenerator<string[]> {
    for (const folder of folders) {
      for await (const batch of listBatches(join(this.dir, folder))) {
        yield batch.filter((checksum) => !this.protection.isHeld(checksum));
      }
    }
  }

  listQuarantined(): AsyncGenerator<string[]> {
    return listBatches(this.quarantined.dir);
  }

  async restore(checksum: string): Promise<void> {
    await this.quarantined.giveBack(checksum, this.pathOf(checksum));
  }

  async removeQuarantined(checksum: string): Promise<void> {
    await this.quarantined.remove(checksum);
  }

  async open(file: BlobReference, range?: ByteRange, signal?: AbortSignal): Promise<Readable> {
    let version: string | undefined;
    const onError = (error: unknown) => this.toReadFault(file, error, version);
    let handle: FileHandle | undefined;
    try {
      handle = await this.openStored(file.checksum);
      const stats = await handle.stat({ bigint: true });
      const found = versionOf(stats);
      version = found;
      checkSize(file, stats);
      // Rejects before the response begins, so that `HEAD` does not report a damaged file as intact.
      this.verified.checkNotDamaged(file, found);
      if (this.verified.has(file, found)) {
        return streamRange(handle, range ?? { start: 0, end: file.size - 1 }, onError);
      }
      const remember = () => this.remember(file, found);
      if (!range && file.size > verifiedFirstBytes) return streamVerified(handle, file, remember, onError);
      // A small file, or one that is read in part, is verified completely before its first byte is sent.
      await verifyContent(readWhole(handle, file), file, async () => signal?.throwIfAborted());
      remember();
      return streamRange(handle, range ?? { start: 0, end: file.size - 1 }, onError);
    } catch (error) {
      await handle?.close();
      signal?.throwIfAborted();
      throw onError(error);
    }
  }

  async verify(file: BlobReference, pace?: (bytes: number) => Promise<void>): Promise<BlobCondition> {
    let handle: FileHandle | undefined;
    let version: string | undefined;
    try {
      handle = await this.openStored(file.checksum);
      const stats = await handle.stat({ bigint: true });
      version = versionOf(stats);
      checkSize(file, stats);
      await verifyContent(readWhole(handle, file), file, pace);
      this.remember(file, version);
      return 'intact';
    } catch (error) {
      const condition = conditionAfter(error);
      if (!condition) throw fileSystemFault(error);
      this.verified.delete(file.checksum, error, version);
      this.options.onDamage?.(file.checksum, condition, describeDamage(error));
      return condition;
    } finally {
      await handle?.close();
    }
  }

  checkHealth(): Promise<HealthCheck[]> {
    return this.directory.read();
  }

  async status(): Promise<BlobStoreStatus> {
    const [check] = await this.directory.read();
    const state = check?.status === 'ok' ? 'CONNECTED' : 'UNAVAILABLE';
    return { engine: 'FILES', servers: [{ address: 'localhost', state }] };
  }

  private async openStored(checksum: string): Promise<FileHandle> {
    const file = this.pathOf(checksum);
    try {
      return await open(file, readFlags);
    } catch (error) {
      if (conditionAfter(error) !== 'missing') throw error;
      // A restored database may refer to files that were unreferenced before.
      await this.quarantined.giveBack(checksum, file);
      return open(file, readFlags);
    }
  }

  private remember(file: BlobReference, version: string): void {
    this.verified.add(file, version);
    this.options.onIntact?.(file.checksum);
  }

  private toReadFault({ checksum }: BlobReference, error: unknown, version: string | undefined): Fault {
    if (error instanceof Fault) return error;
    const condition = conditionAfter(error);
    if (condition) {
      this.verified.delete(checksum, error, version);
      this.options.onDamage?.(checksum, condition, describeDamage(error));
    }
    return unreadableFile(error);
  }

  private pathOf(checksum: string): string {
    return join(this.dir, checksum.slice(0, 2), checksum);
  }
}

/** Codes of errors that make a file unreadable: disk faults, missing permissions, or something else at its path. */
const unreadableCodes = new Set(['EIO', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP', 'ENXIO', 'ENOTDIR']);

/**
 * Returns the condition of a file implied by an error; undefined if the error says nothing about the file, such as too
 * many open files.
 */
function conditionAfter(error: unknown): 'damaged' | 'missing' | undefined {
  if (error instanceof DamagedFile) return 'damaged';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'missing';
  return code !== undefined && unreadableCodes.has(code) ? 'damaged' : undefined;
}

function describeDamage(error: unknown): string {
  if (error instanceof DamagedFile) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'the file is missing' : `the file cannot be read (${code})`;
}

async function exists(file: string): Promise<boolean> {
  const found: BigIntStats | undefined = await stat(file, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found !== undefined;
}

async function* listBatches(dir: string): AsyncGenerator<string[]> {
  const names = (await readdir(dir)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  for (let at = 0; at < names.length; at += batchSize) yield names.slice(at, at + batchSize);
}
