import { LRUCache } from 'lru-cache';
import { type LiveValues, type Missing, type Readings, type Sample, SourceUnavailable } from './sources.port.js';

const maxNames = 200;
const maxKept = 1_000;

type Reading = Sample | Missing;
type Waiting = Map<string, ((reading: Reading) => void)[]>;

/**
 * Reads the values of devices for many readers. Names requested during a read are read together in the next one. A
 * device that does not answer delays others by at most one read.
 */
export class BatchedReads {
  private readonly kept: LRUCache<string, Reading>;
  private waiting: Waiting = new Map();
  private isReading = false;

  constructor(
    private readonly live: LiveValues,
    keptMs: number,
  ) {
    this.kept = new LRUCache({ max: maxKept, ttl: keptMs });
  }

  read(name: string): Promise<Reading> {
    const kept = this.kept.get(name);
    if (kept) return Promise.resolve(kept);
    return new Promise((resolve) => {
      const others = this.waiting.get(name);
      if (others) others.push(resolve);
      else this.waiting.set(name, [resolve]);
      if (!this.isReading) void this.readWaiting();
    });
  }

  private async readWaiting(): Promise<void> {
    this.isReading = true;
    while (this.waiting.size > 0) {
      const names = [...this.waiting.keys()].slice(0, maxNames);
      const readings = await this.readAll(names);
      for (const name of names) {
        const reading = readings.get(name) ?? { missing: 'it was not read', code: 'unavailable' };
        this.kept.set(name, reading);
        for (const resolve of this.waiting.get(name) ?? []) resolve(reading);
        this.waiting.delete(name);
      }
    }
    this.isReading = false;
  }

  private async readAll(names: readonly string[]): Promise<Readings> {
    try {
      return await this.live.read(names, new AbortController().signal);
    } catch (error) {
      const reason = error instanceof SourceUnavailable ? error.message : 'it could not be read';
      return new Map(names.map((name) => [name, { missing: reason, code: 'unavailable' }]));
    }
  }
}
