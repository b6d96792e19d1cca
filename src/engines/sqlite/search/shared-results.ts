import { LRUCache } from 'lru-cache';
import { untilAborted } from '../../../kernel/with-timeout.js';

/** Work that several callers wait for. */
interface Running<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  /** Those that still need the result. */
  callers: number;
  /** Whether more than one has asked for it. */
  isShared: boolean;
  readonly startedMs: number;
}

/** One that has run for longer may soon end at its time limit. */
const joinWithinMs = 3_000;

export interface Shared<Result> {
  readonly result: Result;
  /** Whether other callers have the same result, or may get it: it must not be changed then. */
  readonly isShared: boolean;
}

/**
 * Results that several callers ask for at the same time, or one after the other while nothing changes, are computed once.
 * A hundred screens that show the newest entries ask for the same page when one is created.
 */
export class SharedResults<Result extends object> {
  private readonly running = new Map<string, Running<Result>>();
  private readonly kept: LRUCache<string, Result>;
  private revision = '';

  constructor({ maxBytes, sizeOf }: { maxBytes: number; sizeOf: (result: Result) => number }) {
    this.kept = new LRUCache({
      maxSize: maxBytes,
      // A larger one would push out all others.
      maxEntrySize: maxBytes / 8,
      sizeCalculation: (result, key) => Math.max(1, sizeOf(result)) + 2 * key.length,
    });
  }

  /**
   * @param revision of what the result is computed from, now; a result of another revision is not used
   * @param compute must see at least this revision. Its signal is aborted when no caller needs the result any more.
   * @param signal of this caller
   */
  async get(
    { revision, key, signal }: { revision: string; key: string; signal: AbortSignal | undefined },
    compute: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Shared<Result>> {
    if (revision !== this.revision) this.forget(revision);
    const known = this.kept.get(key);
    if (known) return { result: known, isShared: true };
    const running = this.join(key) ?? this.begin(key, compute);
    const leave = () => {
      running.callers -= 1;
      if (running.callers > 0) return;
      if (this.running.get(key) === running) this.running.delete(key);
      running.controller.abort();
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const result = await (signal ? untilAborted(signal, () => running.result) : running.result);
      return { result, isShared: running.isShared };
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  private join(key: string): Running<Result> | undefined {
    const running = this.running.get(key);
    if (!running || performance.now() - running.startedMs > joinWithinMs) return undefined;
    running.callers += 1;
    running.isShared = true;
    return running;
  }

  private begin(key: string, compute: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const controller = new AbortController();
    const result = compute(controller.signal);
    const startedMs = performance.now();
    const running: Running<Result> = { result, controller, callers: 1, isShared: false, startedMs };
    this.running.set(key, running);
    const end = () => {
      const isCurrent = this.running.get(key) === running;
      if (isCurrent) this.running.delete(key);
      return isCurrent;
    };
    running.result.then(
      // One that began before the last change, or that was cancelled, is not the one in the map.
      (result) => end() && this.kept.set(key, result),
      () => void end(),
    );
    return running;
  }

  private forget(revision: string): void {
    this.revision = revision;
    this.kept.clear();
    // Their callers still get what they asked for.
    this.running.clear();
  }
}
