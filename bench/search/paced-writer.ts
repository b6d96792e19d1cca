import type { Storage } from '../../src/engines/storage.port.js';
import { Latencies, type Measured } from '../latencies.js';
import type { Corpus } from './corpus.js';
import { insertEntry } from './load-corpus.js';

/** Creates the entries that follow in a corpus at a steady rate, however long each takes. */
export class PacedWriter {
  private latencies = new Latencies();
  private timer: NodeJS.Timeout | undefined;
  private readonly writing = new Set<Promise<void>>();
  private failure: unknown;

  private constructor(
    private readonly storage: Storage,
    private readonly corpus: Corpus,
    private readonly perSecond: number,
    private next: number,
  ) {}

  /** Continues after the newest entry of the store. */
  static async of(storage: Storage, corpus: Corpus, perSecond: number): Promise<PacedWriter> {
    let next = corpus.entries;
    // Earlier runs may have gone beyond the corpus.
    while (await storage.committed.entries.find(next + 1)) next++;
    return new PacedWriter(storage, corpus, perSecond, next);
  }

  start(): void {
    this.latencies = new Latencies();
    const startedMs = performance.now();
    let created = 0;
    const createDue = () => {
      for (; startedMs + (created * 1_000) / this.perSecond <= performance.now(); created++) {
        // Counts from the time when the create was due: a busy event loop delays a create too.
        this.create(startedMs + (created * 1_000) / this.perSecond);
      }
    };
    this.timer = setInterval(createDue, 1);
  }

  /**
   * Resolves when everything that was begun is stored.
   * @throws the error of the first create that failed
   */
  async stop(): Promise<Measured> {
    clearInterval(this.timer);
    await Promise.all(this.writing);
    if (this.failure !== undefined) throw this.failure;
    return this.latencies.summary();
  }

  private create(dueMs: number): void {
    const index = this.next++;
    const entry = this.corpus.entry(index);
    const write = this.storage
      .write((tx) => insertEntry(tx, index, entry))
      .then(
        () => this.latencies.add(performance.now() - dueMs),
        (error: unknown) => {
          this.failure ??= error;
        },
      )
      .finally(() => this.writing.delete(write));
    this.writing.add(write);
  }
}
