import { MessageChannel, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { AllWords, WordStore } from '../search/query/vocabulary.js';
import { type WordsAnswer, type WordsPort, type WordsRequest, wordsPort } from './messages.js';

/** Interval between looks for the answer to a thread. */
const waitMs = 2;

/**
 * The words that search threads read for each other, see `WordsExchange`: they are in memory once, and are read once,
 * also when all threads start.
 */
export class SharedWords {
  private readonly port = new MessageChannel();
  private readonly sleep = new Int32Array(new SharedArrayBuffer(4));

  /** @param checkStop throws when the service stops */
  constructor(private readonly checkStop: () => void) {
    const { port1, port2 } = this.port;
    port1.unref();
    parentPort?.postMessage({ kind: wordsPort, port: port2 } satisfies WordsPort, [port2]);
  }

  /** @param index identifies the index */
  of(index: string): WordStore {
    return {
      renew: (known, read) => {
        const words = this.ask({ kind: 'ask', index, newerThan: known?.newestId ?? -1 });
        if (words) return words;
        let isRead = false;
        try {
          const all = read(() => {
            this.checkStop();
            this.send({ kind: 'reading', index });
          });
          isRead = true;
          this.send({ kind: 'read', index, words: all });
          return all;
        } finally {
          if (!isRead) this.send({ kind: 'failed', index });
        }
      },
    };
  }

  /** Returns what another thread has read; undefined: this one must read. */
  private ask(request: WordsRequest): AllWords | undefined {
    this.send(request);
    for (;;) {
      const received = receiveMessageOnPort(this.port.port1) as { message: WordsAnswer } | undefined;
      if (received) return received.message.words;
      this.checkStop();
      Atomics.wait(this.sleep, 0, 0, waitMs);
    }
  }

  private send(request: WordsRequest): void {
    this.port.port1.postMessage(request);
  }
}
