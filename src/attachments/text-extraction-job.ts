import type { Readable } from 'node:stream';
import { Piscina } from 'piscina';
import type { BackgroundJobs } from '../kernel/background-jobs.js';
import type { Log } from '../kernel/log.js';
import type { CommitSource } from '../kernel/unit-of-work.js';
import type { AttachmentStorage } from './attachment-storage.js';
import type { UnextractedFile } from './attachment-store.port.js';
import type { BlobStore } from './blob-store.port.js';
import { defaultLimits, extractTextOf } from './extract-text.js';

/** How long after a commit new files are extracted; more may come with them. */
const delayMs = 500;
const retryMs = 30_000;
const timeLimitMs = 30_000;
/** A file that makes the process grow by more, such as an archive that unpacks without end, is abandoned. */
const maxGrowthBytes = 1_073_741_824;
const memoryCheckIntervalMs = 100;
const filesAtOnce = 50;
/** A file whose extraction began so often and never ended is found by its name alone. */
const maxAttempts = 3;

export interface TextExtractionDeps {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage & CommitSource;
  readonly log: Log;
  readonly jobs: BackgroundJobs;
}

/**
 * Extracts the text of new files, one at a time, so that searches find them. Files that were not extracted when the
 * service stopped are extracted after its start.
 */
export function startTextExtraction(deps: TextExtractionDeps): { stop(): Promise<void> } {
  const extraction = new TextExtraction(deps);
  const job = deps.jobs.start({
    name: 'attachment-text-extraction',
    delayMs,
    retryMs,
    failure: 'attachment text extraction failed; will retry',
    run: (signal) => extraction.extractSome(signal),
  });
  const stopListening = deps.storage.onCommit((commit) => {
    if (commit.files) job.trigger();
  });
  job.trigger();
  return {
    async stop() {
      stopListening();
      await job.stop();
      await extraction.close();
    },
  };
}

/** Reads files in a worker thread, which is ended when a file takes too much time or memory. */
class TextExtraction {
  private readonly worker: Piscina<Parameters<typeof extractTextOf>[0], string>;
  /** The checksum up to which this pass has come. */
  private after = '';

  constructor(private readonly deps: TextExtractionDeps) {
    this.worker = new Piscina({
      filename: new URL('./extract-text.js', import.meta.url).href,
      name: extractTextOf.name,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 10_000,
    });
    this.worker.on('error', (error) => deps.log.error({ err: error }, 'text extraction worker failed'));
  }

  async extractSome(signal: AbortSignal): Promise<'more' | 'idle'> {
    const files = await this.deps.storage.committed.attachments.listUnextracted(this.after, filesAtOnce);
    for (const file of files) {
      if (signal.aborted) return 'idle';
      await this.extract(file, signal);
      this.after = file.checksum;
    }
    if (files.length === filesAtOnce) return 'more';
    this.after = '';
    return 'idle';
  }

  async close(): Promise<void> {
    await this.worker.destroy();
  }

  private async extract({ checksum, contentType, attempts }: UnextractedFile, signal: AbortSignal): Promise<void> {
    const { storage, blobs, log } = this.deps;
    let chunks: Uint8Array[] | undefined;
    if (attempts < maxAttempts) {
      // Recorded first: a file that ends the process is not read again and again.
      await storage.write((tx) => tx.attachments.recordAttempt(checksum));
      try {
        chunks = await readChunks(await blobs.open(checksum));
      } catch (error) {
        // Not for good: the disk may be back at the next start.
        log.warn({ err: error, checksum }, 'attachment file not readable; its text is not extracted');
        return;
      }
    }
    const text = chunks === undefined ? '' : await this.textOf(chunks, contentType, checksum, signal);
    if (text !== undefined) await storage.write((tx) => tx.attachments.storeText(checksum, text));
  }

  /** The text, empty for a file that took too much; undefined when `stopping` aborted first. */
  private async textOf(
    chunks: Uint8Array[],
    contentType: string,
    checksum: string,
    stopping: AbortSignal,
  ): Promise<string | undefined> {
    const tooLarge = new AbortController();
    const before = process.memoryUsage.rss();
    const memoryCheck = setInterval(() => {
      if (process.memoryUsage.rss() - before > maxGrowthBytes) tooLarge.abort();
    }, memoryCheckIntervalMs);
    try {
      const signal = AbortSignal.any([stopping, tooLarge.signal, AbortSignal.timeout(timeLimitMs)]);
      // Transferred, not copied.
      const transferList = chunks.map(({ buffer }) => buffer as ArrayBuffer);
      return await this.worker.run({ chunks, contentType }, { signal, transferList });
    } catch (error) {
      if (stopping.aborted) return undefined;
      this.deps.log.warn(
        { err: error, checksum, contentType },
        'attachment text extraction exceeded its limits; file indexed by name only',
      );
      return '';
    } finally {
      clearInterval(memoryCheck);
    }
  }
}

/** The content in chunks that each own their memory; undefined when it is larger than what is extracted. */
async function readChunks(content: Readable): Promise<Uint8Array[] | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > defaultLimits.maxBytes) return undefined;
    chunks.push(Uint8Array.from(chunk));
  }
  return chunks;
}
