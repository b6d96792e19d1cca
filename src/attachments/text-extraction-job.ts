import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../kernel/fault.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { CommitNotifier } from '../kernel/unit-of-work.js';
import type { AttachmentStorage } from './attachment-storage.js';
import type { UnextractedFile } from './attachment-store.port.js';
import type { BlobStore } from './blob-store.port.js';
import { type Extraction, ExtractionProcess } from './extraction-process.js';
import { defaultLimits } from './text-limits.js';
import { UnreadFiles } from './unread-files.js';

/** Delay of extraction after a commit, so that one run serves several commits. */
const delayMs = 500;
const retryMs = 30_000;
const intervalMs = 3_600_000;
/** Number of files listed in one query. */
const batchSize = 50;
/** Maximum number of attempts that the end of the service cuts short. Then, a file is indexed by its name only. */
const maxAttempts = 3;
/** Pause after a batch in which no file was tried. */
const listedPauseMs = 10;
/**
 * Rest after a file, as a multiple of the time it took. Applies after the first batch of a pass, so that a long queue
 * does not slow down requests.
 */
const restFactor = 10;
const maxRestMs = 2_000;

export interface TextExtractionDeps {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage & CommitNotifier;
  readonly log: Log;
  readonly jobs: JobRegistry;
}

export interface TextExtractionJob {
  /** Number of files marked as unreadable since the start. */
  readonly unreadableFiles: () => number;
  /** Number of files that could not be read at the last attempt and will be tried again. */
  readonly missingFiles: () => number;
  stop(): Promise<void>;
}

/**
 * Starts the job that extracts the text of new files, one at a time, so that searches find it. Files that were not
 * extracted when the service stopped are extracted after the next start.
 * @param firstRetryMs see `UnreadFiles`
 */
export function startTextExtraction(deps: TextExtractionDeps, firstRetryMs?: number): TextExtractionJob {
  const extraction = new TextExtraction(deps, new UnreadFiles(firstRetryMs), (ms) => {
    clearTimeout(retry);
    retry = setTimeout(() => job.trigger(), ms).unref();
  });
  let retry: NodeJS.Timeout | undefined;
  const job = deps.jobs.start({
    name: 'attachment-text-extraction',
    isShared: true,
    delayMs,
    // Finds files that another node stored before it ended.
    intervalMs,
    retryMs,
    failure: 'attachment text extraction failed; will retry',
    run: (signal) => extraction.extractBatch(signal),
  });
  const stopListening = deps.storage.onCommit((commit) => {
    if (commit.files) job.trigger();
  });
  job.trigger();
  return {
    unreadableFiles: () => extraction.unreadableFiles,
    missingFiles: () => extraction.unread.count,
    async stop() {
      stopListening();
      clearTimeout(retry);
      await job.stop();
      extraction.close();
    },
  };
}

class TextExtraction {
  unreadableFiles = 0;
  private readonly process = new ExtractionProcess();
  /** The last checksum that this pass over the files has processed. */
  private lastChecksum = '';
  /** Extraction whose result could not be stored. */
  private unstored: { readonly checksum: string; readonly extraction: Extraction } | undefined;
  /** Error of the last file that could not be read. */
  private readError: unknown;

  constructor(
    private readonly deps: TextExtractionDeps,
    readonly unread: UnreadFiles,
    private readonly retryAfter: (ms: number) => void,
  ) {}

  /** Extracts the next batch of files. A file that cannot be read now is left for a later pass. */
  async extractBatch(signal: AbortSignal): Promise<'more' | 'idle'> {
    await this.storeExtracted();
    const after = this.lastChecksum;
    if (after === '') this.unread.beginPass();
    // A pass that fails starts from the beginning, because there may be new or unreadable files before the failure.
    this.lastChecksum = '';
    const files = await this.deps.storage.committed.attachments.listUnextracted(after, batchSize);
    let tried = 0;
    for (const file of files) {
      if (signal.aborted) return 'idle';
      if (this.unread.has(file.checksum)) continue;
      tried += 1;
      const startedMs = performance.now();
      await this.extract(file, signal);
      const restMs = Math.min((performance.now() - startedMs) * restFactor, maxRestMs);
      if (after !== '') await sleep(restMs, undefined, { signal, ref: false });
    }
    if (files.length < batchSize) {
      this.endPass();
      return 'idle';
    }
    // All files of the batch are remembered as unreadable.
    if (tried === 0) await sleep(listedPauseMs, undefined, { signal, ref: false });
    this.lastChecksum = files.at(-1)?.checksum ?? '';
    return 'more';
  }

  private endPass(): void {
    const { files, retryMs } = this.unread.endPass();
    if (retryMs !== undefined) this.retryAfter(retryMs);
    if (files === undefined) return;
    const details = { files, err: this.readError, retrySeconds: Math.round((retryMs ?? 0) / 1_000) };
    this.deps.log.warn(details, 'attachment files not readable; their texts are not extracted until they are');
  }

  close(): void {
    this.process.close();
  }

  private async extract(file: UnextractedFile, signal: AbortSignal): Promise<void> {
    const extraction = await this.runAttempt(file, signal);
    if (!extraction) return;
    this.unstored = { checksum: file.checksum, extraction };
    await this.storeExtracted();
  }

  /**
   * Stores the extracted text. If that fails, for example on a full disk, it is retried before another text is
   * extracted.
   */
  private async storeExtracted(): Promise<void> {
    if (!this.unstored) return;
    const { checksum, extraction } = this.unstored;
    await this.deps.storage.write(({ attachments }) =>
      extraction.kind === 'text'
        ? attachments.storeText(checksum, extraction.text)
        : attachments.markUnreadable(checksum, extraction.reason),
    );
    this.unstored = undefined;
    if (extraction.kind === 'failed') this.unreadableFiles += 1;
  }

  /** Extracts the text of a file; returns undefined when the file cannot be read now, or the service stops. */
  private async runAttempt(
    { checksum, size, contentType, attempts }: UnextractedFile,
    signal: AbortSignal,
  ): Promise<Extraction | undefined> {
    const { storage, blobs, log } = this.deps;
    if (attempts >= maxAttempts) return { kind: 'failed', reason: `${attempts} attempts ended early` };
    let chunks: Uint8Array[] | undefined;
    try {
      chunks = await readChunks(await blobs.open({ checksum, size }));
    } catch (error) {
      // An error makes the job retry soon. Without one, it would not begin another pass.
      if (error instanceof Fault && error.kind === 'unavailable') throw error;
      // Neither an empty text nor an attempt is stored, because the disk may be available again later.
      this.readError = error;
      this.unread.add(checksum);
      return undefined;
    }
    if (!chunks) return { kind: 'text', text: '' };
    try {
      // This does not count as an attempt, because a process that cannot be started is not a failure of the file.
      await this.process.prepare(signal);
      // Recorded before the attempt. Otherwise a file that crashes the service would be tried at every start.
      await storage.write((tx) => tx.attachments.recordAttempt(checksum));
      const extraction = await this.process.extract({ chunks, contentType }, signal);
      if (extraction.kind === 'failed') {
        const { reason } = extraction;
        log.warn({ checksum, contentType, reason }, 'attachment text not extracted; file indexed by name only');
      }
      return extraction;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}

/** Returns the content; undefined when it is larger than `maxBytes`. */
async function readChunks(content: Readable): Promise<Uint8Array[] | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > defaultLimits.maxBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks;
}
