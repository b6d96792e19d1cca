import { MessageChannel, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { AllWords, WordStore } from '../search/query/vocabulary.js';
import { type WordsAnswer, type WordsPort, type WordsRequest, wordsPort } from './messages.js';

/** Interval at which a thread checks for an answer. */
const waitMs = 2;

/**
 * Words that search threads share, see `WordsExchange`. They are in memory only once, and are read only once even if
 * all threads start together.
 */
export class SharedWords {
  private readonly channel = new MessageChannel();
  private readonly sleep = new Int32Array(new SharedArrayBuffer(4));

  /** @param checkStop throws when the service stops */
  constructor(private readonly checkStop: () => void) {
    const { port1, port2 } = this.channel;
    port1.unref();
    parentPort?.postMessage({ kind: wordsPort, port: port2 } satisfies WordsPort, [port2]);
  }

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

  /** Asks for words that another thread has read; undefined: this thread must read them. */
  private ask(request: WordsRequest): AllWords | undefined {
    this.send(request);
    for (;;) {
      const received = receiveMessageOnPort(this.channel.port1) as { message: WordsAnswer } | undefined;
      if (received) return received.message.words;
      this.checkStop();
      Atomics.wait(this.sleep, 0, 0, waitMs);
    }
  }

  private send(request: WordsRequest): void {
    this.channel.port1.postMessage(request);
  }
}
