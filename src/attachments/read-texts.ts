import type { Readable } from 'node:stream';
import { Piscina } from 'piscina';
import type { Storage } from '../storage/storage.port.js';
import type { UnreadFile } from './attachment-store.port.js';
import type { BlobStore } from './blob-store.port.js';
import { defaultLimits, extractTextOf } from './extract-text.js';

interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** How long after a commit the new files are looked at; more may come with them. */
const restMs = 500;
const timeLimitMs = 30_000;
/** A file that makes the process grow by more, such as one that unpacks without end, is given up. */
const maxGrowthBytes = 1_073_741_824;
const watchEveryMs = 100;
const filesAtOnce = 50;

/**
 * Reads the words of new files, one file at a time and in a thread that is ended when it takes too much, so that
 * searches find them. Files that were not read when the service stopped are read after its start.
 */
export function readAttachmentTexts(deps: {
  readonly blobs: BlobStore;
  readonly storage: Storage;
  readonly logger: Log;
}): { stop(): Promise<void> } {
  const { blobs, storage, logger } = deps;
  const threads = new Piscina<{ bytes: Uint8Array; contentType: string }, string>({
    filename: new URL('./extract-text.js', import.meta.url).href,
    name: extractTextOf.name,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 10_000,
  });
  threads.on('error', (error) => logger.error({ err: error }, 'the thread that reads attachments failed'));
  const stopping = new AbortController();
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const readNew = async () => {
    try {
      for (let after = ''; !stopping.signal.aborted; ) {
        const files = await storage.committed.attachments.listUnread(after, filesAtOnce);
        for (const file of files) {
          if (stopping.signal.aborted) return;
          await readOne(file);
          after = file.checksum;
        }
        if (files.length < filesAtOnce) return;
      }
    } catch (error) {
      logger.error({ err: error }, 'reading the words of attachments failed; it is tried again with the next entry');
    }
  };

  const readOne = async ({ checksum, contentType }: UnreadFile) => {
    let bytes: Uint8Array | undefined;
    try {
      bytes = await bytesOf(await blobs.open(checksum));
    } catch (error) {
      // Not for good: the disk may be back at the next start.
      logger.warn({ err: error, checksum }, 'a file could not be read for its words');
      return;
    }
    const text = bytes === undefined ? '' : await textOf(bytes, contentType, checksum);
    if (text !== undefined) await storage.write((tx) => tx.attachments.keepText(checksum, text));
  };

  /** Undefined when the service stops before. */
  const textOf = async (bytes: Uint8Array, contentType: string, checksum: string): Promise<string | undefined> => {
    const tooLarge = new AbortController();
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before > maxGrowthBytes) tooLarge.abort();
    }, watchEveryMs);
    try {
      const signal = AbortSignal.any([stopping.signal, tooLarge.signal, AbortSignal.timeout(timeLimitMs)]);
      return await threads.run({ bytes, contentType }, { signal });
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      logger.warn({ err: error, checksum, contentType }, 'a file took too much to read and is found by its name alone');
      return '';
    } finally {
      clearInterval(watch);
    }
  };

  const readSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      running = running.then(readNew);
    }, restMs).unref();
  };
  const forget = storage.onCommit(readSoon);
  readSoon();
  return {
    async stop() {
      forget();
      clearTimeout(timer);
      stopping.abort();
      await running;
      await threads.destroy();
    },
  };
}

/** Undefined for more bytes than are read for their words. */
async function bytesOf(content: Readable): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > defaultLimits.maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
