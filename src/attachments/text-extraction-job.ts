import type { Readable } from 'node:stream';
import { Piscina } from 'piscina';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { CommitSource } from '../kernel/unit-of-work.js';
import type { AttachmentStorage } from './attachment-storage.js';
import type { UnextractedFile } from './attachment-store.port.js';
import type { BlobStore } from './blob-store.port.js';
import { defaultLimits, extractTextOf } from './extract-text.js';

/** How long after a commit extraction begins, so that one run serves several commits. */
const delayMs = 500;
const retryMs = 30_000;
const timeLimitMs = 30_000;
/** Extraction is cancelled when the process grows by more than this, as for a file that unpacks without end. */
const maxGrowthBytes = 1_073_741_824;
const memoryCheckIntervalMs = 100;
/** Files listed in one query. */
const batchSize = 50;
/** After this many attempts, each ended by a crash or a stop, a file is indexed by its name only. */
const maxAttempts = 3;

export interface TextExtractionDeps {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage & CommitSource;
  readonly log: Log;
  readonly jobs: JobRegistry;
}

/**
 * Extracts the text of new files, one at a time, so that searches find it. Files that were not extracted when the
 * service stopped are extracted after the next start.
 */
export function startTextExtraction(deps: TextExtractionDeps): { stop(): Promise<void> } {
  const extraction = new TextExtraction(deps);
  const job = deps.jobs.start({
    name: 'attachment-text-extraction',
    delayMs,
    retryMs,
    failure: 'attachment text extraction failed; will retry',
    run: (signal) => extraction.extractBatch(signal),
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

/** Extracts text in a worker thread, which is terminated when a file takes too much time or memory. */
class TextExtraction {
  private readonly worker: Piscina<Parameters<typeof extractTextOf>[0], string>;
  /** The last checksum that this pass over the files has processed. */
  private lastChecksum = '';
  /** A text that was extracted and could not be stored. */
  private unstored: { readonly checksum: string; readonly text: string } | undefined;

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

  /** Extracts the next batch of files. A file that cannot be read now is left for the next pass. */
  async extractBatch(signal: AbortSignal): Promise<'more' | 'idle'> {
    const after = this.lastChecksum;
    // A pass that fails begins again: files before the failure may have been added, or have been unreadable.
    this.lastChecksum = '';
    const files = await this.deps.storage.committed.attachments.listUnextracted(after, batchSize);
    for (const file of files) {
      if (signal.aborted) return 'idle';
      await this.extract(file, signal);
    }
    if (files.length < batchSize) return 'idle';
    this.lastChecksum = files.at(-1)?.checksum ?? '';
    return 'more';
  }

  async close(): Promise<void> {
    await this.worker.destroy();
  }

  private async extract({ checksum, contentType, attempts }: UnextractedFile, signal: AbortSignal): Promise<void> {
    const { storage, blobs, log } = this.deps;
    let text: string | undefined = '';
    if (this.unstored?.checksum === checksum) text = this.unstored.text;
    else if (attempts < maxAttempts) {
      let chunks: Uint8Array[] | undefined;
      try {
        chunks = await readChunks(await blobs.open(checksum));
      } catch (error) {
        // Not stored as empty, and not an attempt: the disk may be available again later.
        log.warn({ err: error, checksum }, 'attachment file not readable; its text is not extracted');
        return;
      }
      // Recorded before the attempt: otherwise a file that crashes the process would be tried at every start.
      await storage.write((tx) => tx.attachments.recordAttempt(checksum));
      text = chunks === undefined ? '' : await this.extractInWorker(chunks, contentType, checksum, signal);
    }
    if (text === undefined) return;
    const extracted = { checksum, text };
    // On a full disk, the text is stored by a later pass without another attempt.
    this.unstored = extracted;
    await storage.write((tx) => tx.attachments.storeText(checksum, extracted.text));
    this.unstored = undefined;
  }

  /** Returns the text, empty when the file exceeded a limit; undefined when `stopping` was aborted first. */
  private async extractInWorker(
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
      // Transfer the memory instead of copying it.
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

/** Returns the content in chunks that each own their memory; undefined when it is larger than `maxBytes`. */
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
