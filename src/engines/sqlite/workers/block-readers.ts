import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { BlockRange, BlockReader, EntryBlock } from '../search/index/entry-block.js';
import type { FrequentWordTable } from '../search/index/frequent-words.js';
import type { WorkerSettings } from './messages.js';

/** What a thread that reads blocks gets when it starts. */
export interface BlockReaderSettings extends WorkerSettings {
  readonly port: MessagePort;
  /** Shared: requests up to this number are no longer needed. */
  readonly discarded: Int32Array;
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
  /** Without a block: it could not be read. */
  { readonly kind: 'read'; readonly block: EntryBlock | undefined } | { readonly kind: 'ended' };

/** How often a thread is looked at for its answer. */
const waitMs = 2;
/** A thread that has not answered for this long is lost. */
const lostAfterMs = 60_000;
const endWithinMs = 5_000;
const blocksPerThread = 2;
const maxThreads = 8;

/** With the thread that writes the index, all cores but one. */
export const defaultBlockReaders = Math.min(maxThreads, Math.max(0, availableParallelism() - 2));

interface Thread {
  readonly port: MessagePort;
  frequentWords: FrequentWordTable | undefined;
  /** How many requests are not answered. */
  unanswered: number;
  isLost: boolean;
}

/** Threads that read entries and split them into terms for the one that writes the index, which waits for them. */
export class BlockReaders implements BlockReader {
  readonly ahead: number;
  private readonly threads: readonly Thread[];
  private requests = 0;
  private readonly discarded = new Int32Array(new SharedArrayBuffer(4));
  private readonly sleep = new Int32Array(new SharedArrayBuffer(4));

  constructor(threads: number, settings: WorkerSettings) {
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
    thread.unanswered += 1;
    send(thread, { kind: 'read', number: this.requests, range, frequentWords: changed });
    return () => {
      const answer = this.receive(thread, lostAfterMs);
      return answer?.kind === 'read' ? answer.block : undefined;
    };
  }

  discard(): void {
    Atomics.store(this.discarded, 0, this.requests);
    for (const thread of this.threads) while (thread.unanswered > 0 && this.receive(thread, lostAfterMs));
  }

  /** Ends the threads, none of them in the middle of a call to SQLite. */
  end(): void {
    this.discard();
    for (const thread of this.threads) send(thread, { kind: 'end' });
    for (const thread of this.threads) {
      this.receive(thread, endWithinMs);
      thread.port.close();
    }
  }

  /** Undefined: the thread is lost. */
  private receive(thread: Thread, limitMs: number): BlockAnswer | undefined {
    const endMs = performance.now() + limitMs;
    while (!thread.isLost) {
      const received = receiveMessageOnPort(thread.port) as { message: BlockAnswer } | undefined;
      if (received) {
        if (received.message.kind === 'read') thread.unanswered -= 1;
        return received.message;
      }
      if (performance.now() > endMs) thread.isLost = true;
      else Atomics.wait(this.sleep, 0, 0, waitMs);
    }
    return undefined;
  }
}

function startThread(settings: Omit<BlockReaderSettings, 'port'>): Thread {
  const { port1, port2 } = new MessageChannel();
  const workerData: BlockReaderSettings = { ...settings, port: port2 };
  const worker = new Worker(new URL('./block-reader-worker.js', import.meta.url), {
    workerData,
    transferList: [port2],
  });
  // What it does not answer is read by the thread that asked.
  worker.on('error', () => undefined);
  worker.unref();
  return { port: port1, frequentWords: undefined, unanswered: 0, isLost: false };
}

function send(thread: Thread, request: BlockRequest): void {
  thread.port.postMessage(request);
}
