import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured } from '../latencies.js';
import { drive, type Request } from '../load.js';
import { medianOf } from '../median.js';

/** Target of a measurement: a service, or bare `node:http`. */
export interface Measurable {
  readonly name: string;
  readonly origin: string;
  readonly cpuMs: () => number | undefined;
}

/** Medians of the rounds of one service; times in milliseconds. */
export interface Figures extends Omit<Measured, 'count'> {
  readonly cpuMsPerRequest: number | undefined;
}

export interface MeasureOptions {
  readonly clients: number;
  readonly rounds: number;
  /** Duration of the load on each service in each round. */
  readonly seconds: number;
  /** Duration of the rest of each service before its load. */
  readonly restSeconds: number;
}

/**
 * Puts the same load on the services, one after the other, in several rounds; each round begins with another service.
 * Returns the medians.
 */
export async function takeTurns<T extends Measurable>(
  sides: readonly T[],
  requestsOf: (side: T) => (index: number) => Request,
  { clients, rounds, seconds, restSeconds }: MeasureOptions,
): Promise<ReadonlyMap<T, Figures>> {
  const measured = new Map(sides.map((side) => [side, [] as Figures[]]));
  const counters = new Map(sides.map((side) => [side, 0]));
  for (let round = 0; round < rounds; round++) {
    const order = sides.map((_, at) => sides[(at + round) % sides.length] as T);
    for (const side of order) {
      const request = requestsOf(side);
      const endMs = { at: 0 };
      const next = () => {
        if (performance.now() >= endMs.at) return undefined;
        const index = counters.get(side) ?? 0;
        counters.set(side, index + 1);
        return request(index);
      };
      await sleep(restSeconds * 1_000);
      const cpuBefore = side.cpuMs();
      endMs.at = performance.now() + seconds * 1_000;
      const one = await drive(side.origin, clients, next);
      const cpuAfter = side.cpuMs();
      const cpuMs = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
      measured.get(side)?.push({ ...one, cpuMsPerRequest: cpuMs === undefined ? undefined : cpuMs / one.count });
    }
  }
  return new Map(Array.from(measured, ([side, figures]) => [side, medianFigures(figures)]));
}

function medianFigures(rounds: readonly Figures[]): Figures {
  const median = (pick: (figures: Figures) => number) => medianOf(rounds.map(pick));
  const cpu = rounds.flatMap(({ cpuMsPerRequest }) => cpuMsPerRequest ?? []);
  return {
    perSecond: median(({ perSecond }) => perSecond),
    p50: median(({ p50 }) => p50),
    p95: median(({ p95 }) => p95),
    p99: median(({ p99 }) => p99),
    cpuMsPerRequest: cpu.length === 0 ? undefined : medianOf(cpu),
  };
}
