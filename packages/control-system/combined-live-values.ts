import {
  isSample,
  type LiveValues,
  type Missing,
  type Readings,
  type Sample,
  type SourceState,
  SourceUnavailable,
} from './sources.port.js';

/** How long a value of a later source waits for that of an earlier one. */
const preferMs = 250;
/** How long the answers of some sources wait for the others, which may have to be started first. */
const patienceMs = 10_000;
/** The same if one of the others was already slow the last time. */
const shortPatienceMs = 1_750;

/** Undefined: the source has not answered yet. */
type Answers = readonly (PromiseSettledResult<Readings> | undefined)[];

/** Live values of several sources, which are asked at the same time. Of two values, that of the first source is used. */
export class CombinedLiveValues implements LiveValues {
  private readonly queues: readonly ReadQueue[];

  constructor(private readonly sources: readonly [LiveValues, ...LiveValues[]]) {
    this.queues = sources.map((source) => new ReadQueue(source));
  }

  get state(): SourceState {
    const states = this.sources.map(({ state }) => state);
    return states.find(({ failure }) => failure !== undefined) ?? this.sources[0].state;
  }

  /** A source that cannot be read does not prevent the others, and one that hangs delays them only shortly. */
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

  /** Resolves when the answers are enough, or `signal` aborts. */
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

/** Answers that are enough: all values, from the first sources or from any, and, in the end, any. */
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

/** Sends one request at a time to a source that may hang, and none that is no longer wanted. */
class ReadQueue {
  /** Whether the last read did not answer in time. */
  isSlow = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly source: LiveValues) {}

  /** Never rejects. */
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
