import type { Readable } from 'node:stream';
import { Piscina } from 'piscina';
import type { CommitSource } from '../kernel/unit-of-work.js';
import type { AttachmentStorage } from './attachment-storage.js';
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
/** A file that was begun so often and never finished is found by its name alone. */
const maxAttempts = 3;

/**
 * Reads the words of new files, one file at a time and in a thread that is ended when it takes too much, so that
 * searches find them. Files that were not read when the service stopped are read after its start.
 */
export function readAttachmentTexts(deps: {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage & CommitSource;
  readonly logger: Log;
}): { stop(): Promise<void> } {
  const { blobs, storage, logger } = deps;
  const threads = new Piscina<Parameters<typeof extractTextOf>[0], string>({
    filename: new URL('./extract-text.js', import.meta.url).href,
    name: extractTextOf.name,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 10_000,
  });
  threads.on('error', (error) => logger.error({ err: error }, 'the thread that reads attachments failed'));
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
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

  const readOne = async ({ checksum, contentType, attempts }: UnreadFile) => {
    let chunks: Uint8Array[] | undefined;
    if (attempts < maxAttempts) {
      // On record before: a file that ends the process is not read again and again.
      await storage.write((tx) => tx.attachments.noteAttempt(checksum));
      try {
        chunks = await chunksOf(await blobs.open(checksum));
      } catch (error) {
        // Not for good: the disk may be back at the next start.
        logger.warn({ err: error, checksum }, 'a file could not be read for its words');
        return;
      }
    }
    const text = chunks === undefined ? '' : await textOf(chunks, contentType, checksum);
    if (text !== undefined) await storage.write((tx) => tx.attachments.keepText(checksum, text));
  };

  /** Undefined when the service stops before. */
  const textOf = async (chunks: Uint8Array[], contentType: string, checksum: string): Promise<string | undefined> => {
    const tooLarge = new AbortController();
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before > maxGrowthBytes) tooLarge.abort();
    }, watchEveryMs);
    try {
      const signal = AbortSignal.any([stopping.signal, tooLarge.signal, AbortSignal.timeout(timeLimitMs)]);
      // Handed over, not copied.
      const transferList = chunks.map(({ buffer }) => buffer as ArrayBuffer);
      return await threads.run({ chunks, contentType }, { signal, transferList });
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      logger.warn({ err: error, checksum, contentType }, 'a file took too much to read and is found by its name alone');
      return '';
    } finally {
      clearInterval(watch);
    }
  };

  const readSoon = () => {
    if (stopping.signal.aborted) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      // What came meanwhile is looked for after it.
      if (running) running = running.then(readSoon);
      else {
        running = readNew().finally(() => {
          running = undefined;
        });
      }
    }, restMs).unref();
  };
  const forget = storage.onCommit(readSoon);
  readSoon();
  return {
    async stop() {
      stopping.abort();
      forget();
      clearTimeout(timer);
      await running;
      await threads.destroy();
    },
  };
}

/** Each in memory of its own; undefined for more bytes than are read for their words. */
async function chunksOf(content: Readable): Promise<Uint8Array[] | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > defaultLimits.maxBytes) return undefined;
    chunks.push(Uint8Array.from(chunk));
  }
  return chunks;
}
