import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { BlockRange, BlockReader, EntryBlock } from '../search/index/entry-block.js';
import type { FrequentWordTable } from '../search/index/frequent-words.js';
import type { WorkerSettings } from './messages.js';

/** Start data of a thread that reads blocks. */
export interface BlockReaderSettings extends WorkerSettings {
  readonly port: MessagePort;
  /** Shared: highest number of the requests that are no longer needed. */
  readonly discarded: Int32Array;
  /** Shared: counter that the thread increments at its start and with each entry. */
  readonly progress: Int32Array;
}

/** Request to a thread; `read` is answered with `read`, `end` with `ended`. */
export type BlockRequest =
  | {
      readonly kind: 'read';
      /** Number of the request; higher than that of the previous one. */
      readonly number: number;
      readonly range: Omit<BlockRange, 'frequentWords'>;
      /** Frequent words; undefined: unchanged since the previous request. */
      readonly frequentWords: FrequentWordTable | undefined;
    }
  | { readonly kind: 'end' };

export type BlockAnswer =
  /** `block` is undefined if it could not be read. */
  { readonly kind: 'read'; readonly block: EntryBlock | undefined } | { readonly kind: 'ended' };

/** Interval at which the requesting thread checks for an answer. */
const waitMs = 2;
/** Time without progress after which a thread counts as lost: it could not start, or ended with an error. */
const silenceMs = 10_000;
const endWithinMs = 5_000;
/** Same limit as for search threads. */
const maxYoungGenerationSizeMb = 8;
const blocksPerThread = 2;
const maxThreads = 8;

/** Default number of threads; together with the thread that writes the index, they use all cores but one. */
export const defaultBlockReaders = Math.min(maxThreads, Math.max(0, availableParallelism() - 2));

interface Thread {
  readonly port: MessagePort;
  readonly progress: Int32Array;
  /** Last progress seen, and the time at which it was first seen. */
  seen: { readonly progress: number; readonly sinceMs: number };
  frequentWords: FrequentWordTable | undefined;
  unanswered: number;
  isLost: boolean;
}

/** Threads that read entries and split them into terms for the thread that writes the index, which waits for them. */
export class BlockReaders implements BlockReader {
  readonly ahead: number;
  private readonly threads: readonly Thread[];
  private requests = 0;
  private readonly stopping: Int32Array;
  private readonly discarded = new Int32Array(new SharedArrayBuffer(4));
  private readonly sleep = new Int32Array(new SharedArrayBuffer(4));

  constructor(threads: number, settings: WorkerSettings) {
    this.stopping = settings.stopping;
    this.threads = Array.from({ length: threads }, () => startThread({ ...settings, discarded: this.discarded }));
    this.ahead = threads * blocksPerThread;
  }

  request({ frequentWords, ...range }: BlockRange): () => EntryBlock | undefined {
    this.requests += 1;
    // The requesting thread takes its turn while the others read the next blocks.
    const thread = this.threads[this.requests % (this.threads.length + 1)];
    if (!thread || thread.isLost) return () => undefined;
    const changed = frequentWords === thread.frequentWords ? undefined : frequentWords;
    thread.frequentWords = frequentWords;
    if (thread.unanswered === 0) expectProgress(thread);
    thread.unanswered += 1;
    send(thread, { kind: 'read', number: this.requests, range, frequentWords: changed });
    return () => {
      const answer = this.receive(thread, () => Atomics.load(this.stopping, 0) === 1);
      return answer?.kind === 'read' ? answer.block : undefined;
    };
  }

  discard(): void {
    this.discardUntil(Number.POSITIVE_INFINITY);
  }

  /** Ends the threads, but never in the middle of a call to SQLite. */
  end(): void {
    const endMs = performance.now() + endWithinMs;
    this.discardUntil(endMs);
    for (const thread of this.threads) {
      expectProgress(thread);
      send(thread, { kind: 'end' });
    }
    for (const thread of this.threads) {
      this.receive(thread, () => performance.now() > endMs);
      thread.port.close();
    }
  }

  private discardUntil(endMs: number): void {
    Atomics.store(this.discarded, 0, this.requests);
    for (const thread of this.threads) {
      while (thread.unanswered > 0 && this.receive(thread, () => performance.now() > endMs));
    }
  }

  /** Waits for an answer; undefined: the thread is lost, or the caller no longer waits. */
  private receive(thread: Thread, isOver: () => boolean): BlockAnswer | undefined {
    while (!thread.isLost) {
      const received = receiveMessageOnPort(thread.port) as { message: BlockAnswer } | undefined;
      if (received) {
        if (received.message.kind === 'read') thread.unanswered -= 1;
        return received.message;
      }
      if (isOver()) return undefined;
      noteProgress(thread);
      Atomics.wait(this.sleep, 0, 0, waitMs);
    }
    return undefined;
  }
}

function expectProgress(thread: Thread): void {
  thread.seen = { ...thread.seen, sinceMs: performance.now() };
}

function noteProgress(thread: Thread): void {
  const [progress, nowMs] = [Atomics.load(thread.progress, 0), performance.now()];
  if (progress !== thread.seen.progress) thread.seen = { progress, sinceMs: nowMs };
  else if (nowMs - thread.seen.sinceMs > silenceMs) thread.isLost = true;
}

function startThread(settings: Omit<BlockReaderSettings, 'port' | 'progress'>): Thread {
  const { port1, port2 } = new MessageChannel();
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const workerData: BlockReaderSettings = { ...settings, port: port2, progress };
  const resourceLimits = { maxYoungGenerationSizeMb };
  const program = new URL('./block-reader-worker.js', import.meta.url);
  const worker = new Worker(program, { workerData, transferList: [port2], resourceLimits });
  // The requesting thread reads the blocks that this one does not deliver.
  worker.on('error', () => undefined);
  worker.unref();
  const seen = { progress: 0, sinceMs: performance.now() };
  return { port: port1, progress, seen, frequentWords: undefined, unanswered: 0, isLost: false };
}

function send(thread: Thread, request: BlockRequest): void {
  thread.port.postMessage(request);
}
