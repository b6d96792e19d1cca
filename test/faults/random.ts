import { createHash } from 'node:crypto';

/** Pseudo-random numbers; the same seed gives the same sequence. */
export class Random {
  private drawn = 0;

  constructor(readonly seed: string) {}

  /** Returns a number from 0 (included) to 1 (excluded). */
  fraction(): number {
    this.drawn += 1;
    return createHash('sha256').update(`${this.seed}/${this.drawn}`).digest().readUInt32BE() / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  /** A whole number from `min` to `max`, both included, with a uniform distribution of its logarithm. */
  magnitude(min: number, max: number): number {
    return Math.round(min * (max / min) ** this.fraction());
  }

  pick<T>(items: readonly T[]): T {
    const index = this.whole(0, items.length - 1);
    if (index < 0) throw new Error('there is nothing to pick from');
    return items[index] as T;
  }
}
