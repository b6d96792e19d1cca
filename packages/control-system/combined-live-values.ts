import {
  isSample,
  type LiveValues,
  type Missing,
  type Readings,
  type Sample,
  type SourceState,
  SourceUnavailable,
} from './sources.port.js';

/** Time that a value of a later source waits for the value of an earlier one. */
const preferMs = 250;
/** Time that the answers of some sources wait for the others, which may have to start first. */
const patienceMs = 10_000;
/** Replaces `patienceMs` if a source was already slow the last time. */
const shortPatienceMs = 1_750;

/** Answers of the sources in order; undefined for a source that has not answered yet. */
type Answers = readonly (PromiseSettledResult<Readings> | undefined)[];

/**
 * Live values of several sources, which are queried concurrently. If several have a value, that of the first source is
 * used.
 */
export class CombinedLiveValues implements LiveValues {
  private readonly queues: readonly ReadQueue[];

  constructor(private readonly sources: readonly [LiveValues, ...LiveValues[]]) {
    this.queues = sources.map((source) => new ReadQueue(source));
  }

  get state(): SourceState {
    const states = this.sources.map(({ state }) => state);
    return states.find(({ failure }) => failure !== undefined) ?? this.sources[0].state;
  }

  /** Reads from all sources. A failed one does not affect the others; a hung one delays them at most `patienceMs`. */
  async read(names: readonly string[], signal: AbortSignal): Promise<Readings> {
    signal.throwIfAborted();
    const answers: Answers[number][] = this.queues.map(() => undefined);
    await this.collect(names, answers, signal);
    signal.throwIfAborted();
    return merge(names, answers);
  }

  close(): void {
    for (const source of this.sources) source.close();
  }

  /** Resolves when the answers are sufficient, or `signal` aborts. */
  private collect(names: readonly string[], answers: Answers[number][], signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let isEnded = false;
      let patience: Patience = 'in-order';
      const end = () => {
        isEnded = true;
        for (const timer of timers) clearTimeout(timer);
        signal.removeEventListener('abort', end);
        for (const [at, queue] of this.queues.entries()) queue.isSlow ||= !answers[at];
        resolve();
      };
      const check = () => {
        if (!isEnded && isEnough(names, answers, patience)) end();
      };
      const become = (next: Patience, ms: number) =>
        setTimeout(() => {
          patience = next;
          check();
        }, ms);
      const timers = [
        become('complete', preferMs),
        become('any', this.queues.some(({ isSlow }) => isSlow) ? shortPatienceMs : patienceMs),
      ];
      signal.addEventListener('abort', end, { once: true });
      for (const [at, queue] of this.queues.entries()) {
        void queue
          .read(names, signal, () => !isEnded)
          .then((answer) => {
            answers[at] = answer;
            check();
          });
      }
    });
  }
}

/**
 * Required answers. `in-order`: values of all devices from the sources before the first pending one; `complete`: values
 * of all devices from any sources; `any`: an answer of any source.
 */
type Patience = 'in-order' | 'complete' | 'any';

function isEnough(names: readonly string[], answers: Answers, patience: Patience): boolean {
  const firstPending = answers.indexOf(undefined);
  if (firstPending < 0) return true;
  const read = readingsOf(patience === 'in-order' ? answers.slice(0, firstPending) : answers);
  if (patience === 'any' && read.length > 0) return true;
  return names.every((name) => read.some((readings) => isSample(readings.get(name))));
}

function merge(names: readonly string[], answers: Answers): Readings {
  const read = readingsOf(answers);
  const failed = answers.find((answer) => answer?.status === 'rejected');
  if (failed && read.length === 0) throw failed.reason;
  const readings = new Map<string, Sample | Missing>();
  for (const name of names) {
    const found = read.flatMap((answer) => answer.get(name) ?? []);
    const reading = found.find(isSample) ?? found[0];
    if (reading) readings.set(name, reading);
  }
  return readings;
}

function readingsOf(answers: Answers): Readings[] {
  return answers.flatMap((answer) => (answer?.status === 'fulfilled' ? [answer.value] : []));
}

/** Sends one request at a time to a source that may hang. Skips requests that are no longer wanted. */
class ReadQueue {
  /** Whether the last read has not been answered in time. */
  isSlow = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly source: LiveValues) {}

  /** Reads the values if they are still wanted. Never rejects. */
  read(
    names: readonly string[],
    signal: AbortSignal,
    isWanted: () => boolean,
  ): Promise<PromiseSettledResult<Readings>> {
    const reading = this.last.then(async () => {
      if (!isWanted()) throw new SourceUnavailable('it was busy');
      const readings = await this.source.read(names, signal);
      this.isSlow = false;
      return readings;
    });
    const settled = Promise.allSettled([reading]).then(([result]) => result);
    this.last = settled;
    return settled;
  }
}
