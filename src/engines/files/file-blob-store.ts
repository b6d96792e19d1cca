import { createHash, randomUUID } from 'node:crypto';
import { constants, unlinkSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobStore, ByteRange, StagedBlob } from '../../attachments/blob-store.port.js';
import { Fault } from '../../kernel/fault.js';
import { diskFull, storageUnavailable } from '../../kernel/storage-faults.js';
import { syncDirectory } from '../../kernel/sync-directory.js';

const headBytes = 65_536;
/** How many checksums one query looks up. */
const batchSize = 200;
const folders = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Opens the blob store in `dir`: `incoming/` holds staged files, `ab/abcdef…` stored ones. A file is renamed from one
 * to the other once its bytes are on the disk; then the directory is synced.
 */
export async function openFileBlobStore(dir: string): Promise<BlobStore> {
  const incoming = join(dir, 'incoming');
  // Files that a previous process had staged have no owner any more.
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true });
  const present = new Set(await readdir(dir));
  for (const folder of folders) if (!present.has(folder)) await mkdir(join(dir, folder));
  await syncDirectory(dir);
  return new FileBlobStore(dir, incoming);
}

class FileBlobStore implements BlobStore {
  private readonly stagedFiles = new WeakMap<StagedBlob, string>();
  /** The number of `commit` without `release` per checksum. */
  private readonly held = new Map<string, number>();
  /** Checksums committed since the current removal began, so that its list of references may lack them. */
  private readonly committedDuringRemoval = new Set<string>();
  private removal: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly dir: string,
    private readonly incoming: string,
  ) {}

  async stage(content: Readable, maxBytes: number): Promise<StagedBlob> {
    const file = join(this.incoming, randomUUID());
    try {
      const handle = await open(file, 'wx', 0o600);
      try {
        const blob = await receive(content, handle, maxBytes);
        this.stagedFiles.set(blob, file);
        return blob;
      } finally {
        await handle.close();
      }
    } catch (error) {
      content.destroy();
      await rm(file, { force: true });
      throw toFault(error);
    }
  }

  async discard(blob: StagedBlob): Promise<void> {
    const file = this.stagedFiles.get(blob);
    this.stagedFiles.delete(blob);
    if (file !== undefined) await rm(file, { force: true });
  }

  async commit(blob: StagedBlob): Promise<void> {
    const staged = this.stagedFiles.get(blob);
    if (staged === undefined) throw new Error('this blob was already committed or discarded');
    this.held.set(blob.checksum, (this.held.get(blob.checksum) ?? 0) + 1);
    this.committedDuringRemoval.add(blob.checksum);
    try {
      const file = this.fileOf(blob.checksum);
      await rename(staged, file);
      this.stagedFiles.delete(blob);
      await syncDirectory(dirname(file));
    } catch (error) {
      this.release(blob);
      throw toFault(error);
    }
  }

  release({ checksum }: StagedBlob): void {
    const count = (this.held.get(checksum) ?? 0) - 1;
    if (count > 0) this.held.set(checksum, count);
    else this.held.delete(checksum);
  }

  removeUnreferenced(
    referenced: (checksums: readonly string[]) => Promise<ReadonlySet<string>>,
    checksums: readonly string[],
  ): Promise<number> {
    const removal = this.removal.then(async () => {
      this.committedDuringRemoval.clear();
      let removed = 0;
      const candidates = checksums.filter((checksum) => !this.held.has(checksum));
      const inUse = await referenced(candidates);
      for (const checksum of candidates) {
        // Nothing may come between this check and the removal, so it is not asynchronous.
        if (inUse.has(checksum) || this.held.has(checksum) || this.committedDuringRemoval.has(checksum)) continue;
        if (removeIfPresent(this.fileOf(checksum))) removed += 1;
      }
      return removed;
    });
    this.removal = removal.catch(() => undefined);
    return removal;
  }

  async countUnreferenced(referenced: (checksums: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number> {
    let count = 0;
    for await (const batch of this.keptBatches()) {
      const inUse = await referenced(batch);
      count += batch.filter((checksum) => !inUse.has(checksum) && !this.held.has(checksum)).length;
    }
    return count;
  }

  async open(checksum: string, range?: ByteRange): Promise<Readable> {
    try {
      const handle = await open(this.fileOf(checksum), constants.O_RDONLY);
      return handle.createReadStream(range ? { start: range.start, end: range.end } : {});
    } catch (error) {
      throw new Fault(
        'broken',
        'attachment.unreadable',
        'The file of this attachment cannot be read. The log of the service has the reason.',
        { cause: error },
      );
    }
  }

  private fileOf(checksum: string): string {
    return join(this.dir, checksum.slice(0, 2), checksum);
  }

  private async *keptBatches(): AsyncGenerator<string[]> {
    for (const folder of folders) {
      const kept = (await readdir(join(this.dir, folder))).filter((name) => /^[0-9a-f]{64}$/.test(name));
      for (let at = 0; at < kept.length; at += batchSize) yield kept.slice(at, at + batchSize);
    }
  }
}

async function receive(
  content: Readable,
  handle: Awaited<ReturnType<typeof open>>,
  maxBytes: number,
): Promise<StagedBlob> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let headLength = 0;
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new Fault(
        'too-large',
        'attachment.too-large',
        `The file is larger than ${maxBytes / 1_048_576} MB, the limit for one file. Attach a smaller file.`,
      );
    }
    hash.update(chunk);
    if (headLength < headBytes) {
      // A copy, because a slice would retain the whole chunk in memory.
      const part = Buffer.from(chunk.subarray(0, headBytes - headLength));
      head.push(part);
      headLength += part.length;
    }
    await handle.writeFile(chunk);
  }
  await handle.sync();
  return { checksum: hash.digest('hex'), size, head: Buffer.concat(head) };
}

/** Returns whether there was such a file. */
function removeIfPresent(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function toFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(error);
  return syscall === undefined ? error : storageUnavailable(error);
}
