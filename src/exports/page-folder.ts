import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import { syncDirectory } from '../kernel/sync-directory.js';
import { findFileProblem } from './file-problem.js';

/** Writes files into a directory, under relative paths. */
export class PageFolder {
  constructor(private readonly dir: string) {}

  async add(name: string, content: AsyncIterable<Uint8Array | string>): Promise<void> {
    const file = join(this.dir, name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(
      Readable.from(content, { objectMode: false }),
      createWriteStream(file, { mode: 0o600, flush: true }),
    );
  }

  /** Adds a file of an entry; if that is not possible, returns the reason. */
  async addAttachment(name: string, blobs: BlobStore, attachment: Attachment): Promise<string | undefined> {
    const problem = await findFileProblem(blobs, attachment);
    if (problem === undefined) await this.add(name, await blobs.open(attachment));
    return problem;
  }
}

/**
 * Writes a new directory. It gets its name only when it is complete; if `write` fails, nothing remains.
 * @throws Error when the directory has files
 */
export async function writeFolder(dir: string, write: (folder: PageFolder) => Promise<void>): Promise<void> {
  const partial = `${dir}.partial`;
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { mode: 0o700 });
    await write(new PageFolder(partial));
    await rename(partial, dir);
    await syncDirectory(dirname(dir));
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}
