import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncDirectory } from '../kernel/sync-directory.js';

/**
 * Writes a text to a file durably. The file gets its name only when it is complete; after a failure, nothing remains.
 */
export async function writeTextFile(file: string, content: AsyncIterable<string>): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(Readable.from(content), createWriteStream(partial, { mode: 0o600, flush: true }));
    await rename(partial, file);
    await syncDirectory(dirname(file));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
