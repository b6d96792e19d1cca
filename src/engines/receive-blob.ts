import { createHash } from 'node:crypto';
import { type FileHandle, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { headBytes, type StagedBlob } from '../attachments/blob-store.port.js';
import { inBytes, limitFault } from '../kernel/limit.js';
import { fileSystemFault } from '../kernel/storage-faults.js';

/**
 * Receives a stream durably into a new file. On failure, removes the file and destroys the stream.
 * @param create creates the file; fails if it exists
 * @throws Fault too-large `attachment.too-large`; full `storage.full`; the error of the stream
 */
export async function receive(
  content: Readable,
  maxBytes: number,
  file: string,
  create: (file: string) => Promise<FileHandle>,
): Promise<StagedBlob> {
  try {
    const handle = await create(file);
    try {
      return await write(content, handle, maxBytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    content.destroy();
    await rm(file, { force: true });
    throw fileSystemFault(error);
  }
}

async function write(content: Readable, handle: FileHandle, maxBytes: number): Promise<StagedBlob> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let headLength = 0;
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw limitFault('too-large', 'attachment.too-large', {
        refused: 'A file is too large; nothing was stored.',
        limit: { amount: inBytes(maxBytes), setting: 'maxFileSize', countedFor: 'each file, regardless of the client' },
        advice: 'Attach a smaller file.',
      });
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
