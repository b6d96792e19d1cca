import type { MessagePort } from 'node:worker_threads';
import type { AllWords } from '../search/query/vocabulary.js';
import type { WordsAnswer, WordsRequest } from './messages.js';

interface Asker {
  readonly port: MessagePort;
  readonly newerThan: number;
}

interface WordsOfIndex {
  readonly index: string;
  words: AllWords | undefined;
  /** Thread that reads the words, and the time of its last message. */
  reader: { readonly port: MessagePort; heardMs: number } | undefined;
  waiting: Asker[];
}

/**
 * Lets search threads share the words of the index: one thread reads them for all. Keeps the words of only one index.
 */
export class WordsExchange {
  private current: WordsOfIndex | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param silenceMs time without a message from the reader after which another thread takes over */
  constructor(private readonly silenceMs = 10_000) {}

  /** Connects a thread; see `SharedWords`. */
  connect(port: MessagePort): void {
    port.on('message', (request: WordsRequest) => this.handle(port, request));
    port.on('close', () => this.forget(port));
    port.unref();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private handle(port: MessagePort, request: WordsRequest): void {
    if (request.kind === 'ask') {
      this.of(request.index).waiting.push({ port, newerThan: request.newerThan });
    } else if (this.current?.index === request.index) {
      const { reader } = this.current;
      if (request.kind === 'reading' && reader?.port === port) reader.heardMs = performance.now();
      if (request.kind === 'read' && request.words.newestId > (this.current.words?.newestId ?? -1))
        this.current.words = request.words;
      if (request.kind !== 'reading' && reader?.port === port) this.current.reader = undefined;
    }
    this.answer();
  }

  private of(index: string): WordsOfIndex {
    if (this.current?.index === index) return this.current;
    // Threads waiting for the words of the previous index read them themselves.
    for (const { port } of this.current?.waiting ?? []) send(port, undefined);
    this.current = { index, words: undefined, reader: undefined, waiting: [] };
    return this.current;
  }

  /**
   * Sends the words to the threads for which they are new enough. If no thread is reading, the first waiting thread
   * begins.
   */
  private answer(): void {
    clearTimeout(this.timer);
    const { current } = this;
    if (!current) return;
    const { words } = current;
    current.waiting = current.waiting.filter(({ port, newerThan }) => {
      if (!words || words.newestId <= newerThan) return true;
      send(port, words);
      return false;
    });
    if (current.reader && performance.now() - current.reader.heardMs > this.silenceMs) current.reader = undefined;
    if (!current.reader) {
      const next = current.waiting.shift();
      if (!next) return;
      current.reader = { port: next.port, heardMs: performance.now() };
      send(next.port, undefined);
    }
    if (current.waiting.length > 0) this.timer = setTimeout(() => this.answer(), this.silenceMs + 1).unref();
  }

  private forget(port: MessagePort): void {
    if (!this.current) return;
    this.current.waiting = this.current.waiting.filter((asker) => asker.port !== port);
    if (this.current.reader?.port === port) this.current.reader = undefined;
    this.answer();
  }
}

function send(port: MessagePort, words: AllWords | undefined): void {
  port.postMessage({ words } satisfies WordsAnswer);
}
