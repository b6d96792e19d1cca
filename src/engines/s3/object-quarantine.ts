import type { BlobReference } from '../../attachments/blob-store.port.js';
import { DamagedFile } from '../verified-blobs.js';
import type { Bucket } from './bucket.js';
import { type CopyLimits, copyObject } from './copy-object.js';
import { isMissingKey } from './s3-errors.js';

const folder = 'quarantine/';

/** Where the file with this checksum is stored. The names are those of the folder `attachments` of a data directory. */
export function keyOf(checksum: string): string {
  return `${checksum.slice(0, 2)}/${checksum}`;
}

/**
 * The objects that no attachment refers to. Object storage cannot move an object: it is copied, and the original is removed
 * once the copy was verified. So a request that another node sends at the same time, or one that the server carries out
 * late, never removes the last copy of a file.
 */
export class ObjectQuarantine {
  constructor(
    private readonly bucket: Bucket,
    private readonly copyLimits?: CopyLimits,
  ) {}

  /**
   * Moves a file here. False, and no effect, when there is none.
   * @throws DamagedFile when the stored content is damaged; it stays where it is
   */
  async take(checksum: string): Promise<boolean> {
    const found = await this.bucket.find(keyOf(checksum));
    if (!found) return false;
    const file = { checksum, size: found.size };
    // An earlier move may not have finished. The copy that it has made may be better than the original is now.
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

  /** Moves a file back. No effect when it is not here, or when there is one at that place, which may be a better one. */
  async giveBack(checksum: string): Promise<void> {
    const found = await this.bucket.find(folder + checksum);
    if (!found || (await this.bucket.find(keyOf(checksum)))) return;
    try {
      const copy = { from: folder + checksum, to: keyOf(checksum), keepsOther: true };
      if (!(await copyObject(this.bucket, copy, { checksum, size: found.size }, this.copyLimits))) return;
    } catch (error) {
      // Somebody else has moved it. Or it is damaged, which its next reader finds.
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
