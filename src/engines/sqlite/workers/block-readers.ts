import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { BlockRange, BlockReader, EntryBlock } from '../search/index/entry-block.js';
import type { FrequentWordTable } from '../search/index/frequent-words.js';
import type { WorkerSettings } from './messages.js';

/** Data that a thread that reads blocks receives when it starts. */
export interface BlockReaderSettings extends WorkerSettings {
  readonly port: MessagePort;
  /** Shared: requests up to this number are no longer needed. */
  readonly discarded: Int32Array;
  /** Shared: the thread increases it when it starts, and with each entry. */
  readonly progress: Int32Array;
}

/** Each `read` is answered with `read`, `end` with `ended`. */
export type BlockRequest =
  | {
      readonly kind: 'read';
      /** Higher than that of the request before. */
      readonly number: number;
      readonly range: Omit<BlockRange, 'frequentWords'>;
      /** Undefined: those of the request before. */
      readonly frequentWords: FrequentWordTable | undefined;
    }
  | { readonly kind: 'end' };

export type BlockAnswer =
  /** `block` is undefined when it could not be read. */
  { readonly kind: 'read'; readonly block: EntryBlock | undefined } | { readonly kind: 'ended' };

/** Interval between looks for the answer of a thread. */
const waitMs = 2;
/** A thread that makes no progress for this long is lost: it could not start, or ended with an error. */
const silenceMs = 10_000;
const endWithinMs = 5_000;
/** As in the threads that search. */
const maxYoungGenerationSizeMb = 8;
const blocksPerThread = 2;
const maxThreads = 8;

/** With the thread that writes the index, all cores but one. */
export const defaultBlockReaders = Math.min(maxThreads, Math.max(0, availableParallelism() - 2));

interface Thread {
  readonly port: MessagePort;
  readonly progress: Int32Array;
  /** The progress that was seen last, and when it was seen first. */
  seen: { readonly progress: number; readonly sinceMs: number };
  frequentWords: FrequentWordTable | undefined;
  /** Number of unanswered requests. */
  unanswered: number;
  isLost: boolean;
}

/** Threads that read entries and split them into terms for the one that writes the index, which waits for them. */
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
    // The thread that asks takes its turn, while the others read the next blocks.
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

  /** Ends the threads, none of them in the middle of a call to SQLite. */
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

  /** Undefined: the thread is lost, or the caller no longer waits. */
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
  // The requesting thread reads what this one does not answer.
  worker.on('error', () => undefined);
  worker.unref();
  const seen = { progress: 0, sinceMs: performance.now() };
  return { port: port1, progress, seen, frequentWords: undefined, unanswered: 0, isLost: false };
}

function send(thread: Thread, request: BlockRequest): void {
  thread.port.postMessage(request);
}
