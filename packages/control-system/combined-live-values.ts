import {
  isSample,
  type LiveValues,
  type Missing,
  type Readings,
  type Sample,
  type SourceState,
} from './sources.port.js';

/** Live values of several sources, which are asked at the same time. Of two values, that of the first source is used. */
export class CombinedLiveValues implements LiveValues {
  constructor(private readonly sources: readonly [LiveValues, ...LiveValues[]]) {}

  get state(): SourceState {
    const states = this.sources.map(({ state }) => state);
    return states.find(({ failure }) => failure !== undefined) ?? this.sources[0].state;
  }

  /** A source that cannot be read does not prevent the others. */
  async read(names: readonly string[], signal: AbortSignal): Promise<Readings> {
    const settled = await Promise.allSettled(this.sources.map((source) => source.read(names, signal)));
    signal.throwIfAborted();
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const [failed] = settled.flatMap((one) => (one.status === 'rejected' ? [one] : []));
    if (failed && answers.length === 0) throw failed.reason;
    const readings = new Map<string, Sample | Missing>();
    for (const name of names) {
      const found = answers.flatMap((answer) => answer.get(name) ?? []);
      const reading = found.find(isSample) ?? found[0];
      if (reading) readings.set(name, reading);
    }
    return readings;
  }

  close(): void {
    for (const source of this.sources) source.close();
  }
}
