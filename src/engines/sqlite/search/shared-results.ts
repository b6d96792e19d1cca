import { LRUCache } from 'lru-cache';
import { untilAborted } from '../../../kernel/with-timeout.js';

/** A computation for which several callers wait. */
interface Running<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  /** Number of callers that still need the result. */
  callers: number;
  /** Whether more than one caller has received the result, or may still receive it. */
  isShared: boolean;
  readonly startedMs: number;
}

/** Maximum age of a computation that further callers may join; an older one may soon reach its time limit. */
const joinWithinMs = 3_000;
/** Number of requests per kept result after which all counts are halved, with a minimum for few results. */
const requestsPerKept = 4;
const minRequests = 256;

export interface Shared<Result> {
  readonly result: Result;
  /** Whether other callers have the same result or may receive it, so that its memory must not be freed. */
  readonly isShared: boolean;
}

/**
 * Computes a result only once for concurrent callers, and for later callers while nothing changes. For example, a
 * hundred screens with the newest entries request the same page when an entry is created.
 */
export class SharedResults<Result extends object> {
  private readonly running = new Map<string, Running<Result>>();
  private readonly kept: LRUCache<string, Result>;
  /** Number of requests for each result since the last change. */
  private readonly requests = new Map<string, number>();
  /** Number of requests since the counts were last halved. */
  private counted = 0;
  private revision = '';

  constructor(private readonly limits: { readonly maxBytes: number; readonly sizeOf: (result: Result) => number }) {
    const { maxBytes } = limits;
    this.kept = new LRUCache({
      maxSize: maxBytes,
      // Limits a single result, which could otherwise evict too many others.
      maxEntrySize: maxBytes / 8,
      sizeCalculation: (result, key) => this.sizeOf(result, key),
    });
  }

  /**
   * Returns a kept result, joins a running computation, or starts one.
   * @param revision current revision of the data; results of other revisions are not used
   * @param compute must see at least this revision; its signal is aborted once no caller needs the result
   * @param signal signal of this caller
   */
  async get(
    { revision, key, signal }: { revision: string; key: string; signal: AbortSignal | undefined },
    compute: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Shared<Result>> {
    if (revision !== this.revision) this.forget(revision);
    this.count(key);
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
      // A computation that was cancelled, or began before the last change, is no longer in the map.
      (result) => {
        if (end() && this.keep(key, result)) running.isShared = true;
      },
      () => void end(),
    );
    return running;
  }

  /**
   * Keeps a result, unless it would evict a result that is requested at least as often. Many different searches would
   * otherwise evict each other before any of them is repeated.
   * @returns whether the result is kept
   */
  private keep(key: string, result: Result): boolean {
    let excess = this.kept.calculatedSize + this.sizeOf(result, key) - this.limits.maxBytes;
    // Iterates in eviction order.
    for (const oldest of this.kept.rkeys()) {
      if (excess <= 0) break;
      if (this.requestsOf(oldest) >= this.requestsOf(key)) return false;
      excess -= this.sizeOf(this.kept.peek(oldest) as Result, oldest);
    }
    this.kept.set(key, result);
    return this.kept.has(key);
  }

  private sizeOf(result: Result, key: string): number {
    return Math.max(1, this.limits.sizeOf(result)) + 2 * key.length;
  }

  private requestsOf(key: string): number {
    return this.requests.get(key) ?? 0;
  }

  private count(key: string): void {
    this.requests.set(key, this.requestsOf(key) + 1);
    this.counted += 1;
    if (this.counted < Math.max(minRequests, requestsPerKept * this.kept.size)) return;
    this.counted = 0;
    // Requests count less and less as they age.
    for (const [counted, count] of this.requests) {
      if (count < 2) this.requests.delete(counted);
      else this.requests.set(counted, Math.floor(count / 2));
    }
  }

  private forget(revision: string): void {
    this.revision = revision;
    this.kept.clear();
    this.requests.clear();
    // The callers of running computations still receive their results.
    this.running.clear();
  }
}
