import type { BlobReference } from '../../attachments/blob-store.port.js';
import { DamagedFile } from '../verified-blobs.js';
import type { Bucket } from './bucket.js';
import { type CopyLimits, copyObject } from './copy-object.js';
import { isMissingKey } from './s3-errors.js';

const folder = 'quarantine/';

/** Returns the key of the file with this checksum; the same path as in the folder `attachments` of a data directory. */
export function keyOf(checksum: string): string {
  return `${checksum.slice(0, 2)}/${checksum}`;
}

/**
 * Objects that no attachment refers to. Object storage cannot move objects, so each is copied, and the original is
 * removed after the copy was verified. Concurrent requests of other nodes and delayed requests therefore never remove
 * the last copy of a file.
 */
export class ObjectQuarantine {
  constructor(
    private readonly bucket: Bucket,
    private readonly copyLimits?: CopyLimits,
  ) {}

  /**
   * Moves a file into quarantine. Returns false if the file does not exist.
   * @throws DamagedFile when the stored content is damaged; it stays where it is
   */
  async take(checksum: string): Promise<boolean> {
    const found = await this.bucket.find(keyOf(checksum));
    if (!found) return false;
    const file = { checksum, size: found.size };
    // An earlier move may have been interrupted, and its copy may be intact even if the original is damaged by now.
    if (!(await this.holdsIntact(file))) {
      try {
        await copyObject(this.bucket, { from: keyOf(checksum), to: folder + checksum }, file, this.copyLimits);
      } catch (error) {
        if (isMissingKey(error)) return false;
        if (error instanceof DamagedFile) await this.remove(checksum);
        throw error;
      }
    }
    await this.bucket.remove(keyOf(checksum));
    return true;
  }

  /**
   * Moves a file back. No effect if it is not in quarantine, or if an object exists at the target, which may be intact.
   */
  async giveBack(checksum: string): Promise<void> {
    const found = await this.bucket.find(folder + checksum);
    if (!found || (await this.bucket.find(keyOf(checksum)))) return;
    try {
      const copy = { from: folder + checksum, to: keyOf(checksum), keepsOther: true };
      if (!(await copyObject(this.bucket, copy, { checksum, size: found.size }, this.copyLimits))) return;
    } catch (error) {
      // Another process has moved the file, or the file is damaged, which its next reader detects.
      if (isMissingKey(error) || error instanceof DamagedFile) return;
      throw error;
    }
    await this.remove(checksum);
  }

  async remove(checksum: string): Promise<void> {
    await this.bucket.remove(folder + checksum);
  }

  async *list(): AsyncGenerator<string[]> {
    for await (const keys of this.bucket.list(folder)) {
      yield keys.map((key) => key.slice(folder.length)).filter((name) => /^[0-9a-f]{64}$/.test(name));
    }
  }

  private async holdsIntact(file: BlobReference): Promise<boolean> {
    if (!(await this.bucket.find(folder + file.checksum))) return false;
    try {
      await this.bucket.verify(folder + file.checksum, file);
      return true;
    } catch (error) {
      if (isMissingKey(error) || error instanceof DamagedFile) return false;
      throw error;
    }
  }
}
