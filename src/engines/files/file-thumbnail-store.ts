import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ThumbnailStore } from '../../attachments/thumbnail-store.port.js';
import type { Log } from '../../kernel/log.js';
import { makeDirectory } from '../../kernel/make-directory.js';

export interface FileThumbnailStoreOptions {
  readonly dir: string;
  /** Maximum total size of all thumbnails. */
  readonly maxBytes: number;
  readonly log: Log;
}

const checksumBytes = 4;
const isKey = /^[0-9a-z-]+$/;

/**
 * Opens the thumbnails in `dir`, one file each, in folders named by the first characters of their keys. Files are not
 * synced: each ends with its CRC-32, and a file damaged by a power failure counts as absent.
 */
export async function openFileThumbnailStore(options: FileThumbnailStoreOptions): Promise<ThumbnailStore> {
  const { dir, log } = options;
  const store = new FileThumbnailStore(options);
  const warn = (error: unknown) => log.warn({ err: error }, 'stored thumbnails could not be listed');
  // A full disk must not prevent startup: entries can still be read.
  await makeDirectory(dir, 0o700).catch(warn);
  // Runs in the background: there may be many thumbnails.
  store.load().catch(warn);
  return store;
}

class FileThumbnailStore implements ThumbnailStore {
  /** Size of each file, the most recently used first. */
  private readonly sizes: LRUCache<string, number>;
  /** Part of the names of unfinished files that distinguishes them from those of earlier runs. */
  private readonly run = randomUUID();

  constructor(private readonly options: FileThumbnailStoreOptions) {
    this.sizes = new LRUCache({
      maxSize: options.maxBytes,
      sizeCalculation: (bytes) => Math.max(1, bytes),
      dispose: (_bytes, key, reason) => {
        if (reason === 'evict') this.remove(key);
      },
    });
  }

  /** Lists the files that earlier runs stored. */
  async load(): Promise<void> {
    const { dir } = this.options;
    for (const folder of await readdir(dir)) {
      for (const name of await readdir(join(dir, folder)).catch(() => [])) {
        const file = join(dir, folder, name);
        if (isKey.test(name)) await this.count(name, file);
        // Remove the unfinished files of earlier runs.
        else if (!name.includes(this.run)) await rm(file, { force: true });
      }
    }
  }

  /** Counts a file, unless it has been stored, used or removed since it was listed. */
  private async count(key: string, file: string): Promise<void> {
    if (this.sizes.has(key)) return;
    const found = await stat(file).catch(() => undefined);
    if (found && !this.sizes.has(key)) this.sizes.set(key, found.size);
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    const stored = await readFile(this.pathOf(key)).catch(() => undefined);
    const content = stored?.subarray(0, -checksumBytes);
    const isIntact =
      stored && content && stored.length > checksumBytes && stored.readUInt32BE(content.length) === crc32(content);
    if (!isIntact) return undefined;
    if (this.sizes.get(key) === undefined) this.sizes.set(key, stored.length);
    return content;
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    const file = this.pathOf(key);
    const temporary = `${file}.${this.run}.${randomUUID()}`;
    const checksum = Buffer.alloc(checksumBytes);
    checksum.writeUInt32BE(crc32(content));
    try {
      await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
      await writeFile(temporary, Buffer.concat([content, checksum]), { mode: 0o600 });
      await rename(temporary, file);
      this.sizes.set(key, content.length + checksumBytes);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      this.options.log.warn(
        { err: error },
        'a thumbnail could not be stored; it will be recreated on the next request',
      );
    }
  }

  async removeOf(checksum: string): Promise<void> {
    const folder = join(this.pathOf(`${checksum}-`), '..');
    // Reads the folder, because the list in memory may not include all files of earlier runs yet.
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.startsWith(`${checksum}-`)) continue;
      this.sizes.delete(name);
      await rm(join(folder, name), { force: true });
    }
  }

  private remove(key: string): void {
    rm(this.pathOf(key), { force: true }).catch(() => undefined);
  }

  private pathOf(key: string): string {
    return join(this.options.dir, key.slice(0, 2), key);
  }
}
