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

/** How long after a commit extraction begins, so that one run serves several commits. */
const delayMs = 500;
const retryMs = 30_000;
/** Files listed in one query. */
const batchSize = 50;
/** After this many attempts, each ended by a stop of the service, a file is indexed by its name only. */
const maxAttempts = 3;
/**
 * Files that cannot be read are tried again in each pass, and every new file begins a pass. If there are this many,
 * they are tried again only after an hour, because each takes time and a line in the log.
 */
const manyUnread = 100;
const retryManyMs = 3_600_000;
/** Pause after each file that cannot be read, if there are many: trying one takes time on the event loop. */
const manyPauseMs = 10;
/** Maximum number of unreadable files that are remembered; further ones are tried in each pass. */
const maxRemembered = 100_000;

export interface TextExtractionDeps {
  readonly blobs: BlobStore;
  readonly storage: AttachmentStorage & CommitNotifier;
  readonly log: Log;
  readonly jobs: JobRegistry;
}

export interface TextExtractionJob {
  /** How many files were marked as unreadable since the start. */
  readonly unreadableFiles: () => number;
  stop(): Promise<void>;
}

/**
 * Extracts the text of new files, one at a time, so that searches find it. Files that were not extracted when the
 * service stopped are extracted after the next start.
 */
export function startTextExtraction(deps: TextExtractionDeps): TextExtractionJob {
  const extraction = new TextExtraction(deps);
  const job = deps.jobs.start({
    name: 'attachment-text-extraction',
    isShared: true,
    delayMs,
    // Files that could not be read may be readable then.
    intervalMs: retryManyMs,
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
    async stop() {
      stopListening();
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

  /** The files that could not be read, by checksum. */
  private readonly unread = new Set<string>();
  private firstUnreadMs = 0;

  constructor(private readonly deps: TextExtractionDeps) {}

  /** Extracts the next batch of files. A file that cannot be read now is left for the next pass. */
  async extractBatch(signal: AbortSignal): Promise<'more' | 'idle'> {
    await this.storeExtracted();
    const after = this.lastChecksum;
    const isRetried = this.unread.size < manyUnread || performance.now() - this.firstUnreadMs >= retryManyMs;
    if (after === '' && isRetried) this.unread.clear();
    // A pass that fails restarts: files before the failure may have been added, or have been unreadable.
    this.lastChecksum = '';
    const files = await this.deps.storage.committed.attachments.listUnextracted(after, batchSize);
    let tried = 0;
    for (const file of files) {
      if (signal.aborted) return 'idle';
      if (this.unread.has(file.checksum)) continue;
      tried += 1;
      await this.extract(file, signal);
    }
    if (files.length < batchSize) return 'idle';
    // A batch of remembered files was only listed.
    if (tried === 0) await sleep(manyPauseMs, undefined, { signal, ref: false });
    this.lastChecksum = files.at(-1)?.checksum ?? '';
    return 'more';
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
   * Stores the extracted text. While that fails, for example on a full disk, no other text is extracted, and none
   * twice.
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

  /** Undefined when the file cannot be read now, or the service stops. */
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
      // The job tries again soon: it would not begin another pass on its own.
      if (error instanceof Fault && error.kind === 'unavailable') throw error;
      // Not stored as empty, and not an attempt: the disk may be available again later.
      this.noteUnread(checksum, error);
      if (this.unread.size > manyUnread) await sleep(manyPauseMs, undefined, { signal, ref: false });
      return undefined;
    }
    if (!chunks) return { kind: 'text', text: '' };
    try {
      // Not an attempt either: a process that cannot be started says nothing about the file.
      await this.process.prepare(signal);
      // Recorded before the attempt: otherwise a file that crashes the process would be tried at every start.
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

  private noteUnread(checksum: string, error: unknown): void {
    const { log } = this.deps;
    if (this.unread.size === 0) this.firstUnreadMs = performance.now();
    if (this.unread.size < maxRemembered) this.unread.add(checksum);
    if (this.unread.size > manyUnread) return;
    log.warn({ err: error, checksum }, 'attachment file not readable; its text is not extracted');
    if (this.unread.size === manyUnread) {
      log.warn(
        { files: manyUnread },
        'many attachment files not readable; these and others will be tried again in an hour',
      );
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
