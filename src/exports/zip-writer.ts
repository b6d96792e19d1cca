import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import { syncDirectory } from '../kernel/sync-directory.js';
import { findFileProblem } from './file-problem.js';

/** Media types whose contents are already compressed. */
const compressed = /^(image\/(?!svg|bmp|tiff)|video\/|audio\/(?!wav)|application\/(zip|gzip|x-7z|pdf))/;

/** Writes an archive, one file after the other. The archive gets its name when it is complete and on stable storage. */
export class ZipWriter {
  private readonly zip = new ZipFile();
  private readonly failed = new AbortController();
  private readonly writing: Promise<void>;
  private readonly partial: string;

  constructor(
    private readonly file: string,
    private readonly modifiedMs: number,
  ) {
    this.partial = `${file}.partial`;
    this.zip.on('error', (error: Error) => this.failed.abort(error));
    const output = createWriteStream(this.partial, { mode: 0o600 });
    const { signal } = this.failed;
    this.writing = pipeline(this.zip.outputStream as Readable, output, { signal });
    this.writing.catch((error: Error) => this.failed.abort(error));
  }

  /** Adds a file; resolves when the whole content was read. */
  async add(name: string, content: AsyncIterable<Uint8Array | string>, isCompressed = false): Promise<void> {
    const { signal } = this.failed;
    signal.throwIfAborted();
    const stream = Readable.from(content, { objectMode: false });
    try {
      const ended = once(stream, 'end', { signal });
      this.zip.addReadStream(stream, name, { compress: !isCompressed, mtime: new Date(this.modifiedMs) });
      await ended;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      stream.destroy();
    }
  }

  /** Adds a folder, with or without files. */
  addFolder(name: string): void {
    this.zip.addEmptyDirectory(name, { mtime: new Date(this.modifiedMs) });
  }

  /** Adds a file of an entry; if that is not possible, returns the reason. */
  async addAttachment(name: string, blobs: BlobStore, attachment: Attachment): Promise<string | undefined> {
    const problem = await findFileProblem(blobs, attachment);
    if (problem !== undefined) return problem;
    await this.add(name, await blobs.open(attachment), compressed.test(attachment.contentType));
    return undefined;
  }

  async finish(): Promise<void> {
    this.zip.end();
    await this.writing;
    const handle = await open(this.partial);
    await handle.sync();
    await handle.close();
    await rename(this.partial, this.file);
    await syncDirectory(dirname(this.file));
  }

  /** Ends writing, and removes the incomplete archive. */
  async abandon(): Promise<void> {
    this.failed.abort(new Error('the archive was abandoned'));
    await this.writing.catch(() => undefined);
    await rm(this.partial, { force: true });
  }
}

/** Writes an archive; when `write` fails, nothing remains. */
export async function writeZip(
  file: string,
  modifiedMs: number,
  write: (zip: ZipWriter) => Promise<void>,
): Promise<void> {
  const zip = new ZipWriter(file, modifiedMs);
  try {
    await write(zip);
    await zip.finish();
  } catch (error) {
    await zip.abandon();
    throw error;
  }
}
