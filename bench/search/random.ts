/** Random numbers that are the same for the same seed, stream and index (sfc32). */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number, stream: number, index = 0) {
    this.a = seed | 0;
    this.b = stream | 0;
    this.c = index | 0;
    // Mixes until neighbouring indexes have nothing in common.
    for (let round = 0; round < 12; round++) this.bits();
  }

  /** Returns 32 bits as an unsigned integer. */
  bits(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + sum) | 0;
    return sum >>> 0;
  }

  /** Returns a number from 0 (included) to 1 (excluded). */
  fraction(): number {
    return this.bits() / 4_294_967_296;
  }

  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** @throws Error when there is nothing to pick from */
  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** Returns this number of hexadecimal digits. */
  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.bits().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }

  shuffle<T>(items: T[]): T[] {
    for (let at = items.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      const item = items[at] as T;
      items[at] = items[other] as T;
      items[other] = item;
    }
    return items;
  }
}

/** Draws indexes of `weights` by weight, in constant time (Vose's alias method). */
export class WeightedDraw {
  private readonly threshold: Float64Array;
  private readonly alias: Int32Array;

  constructor(weights: readonly number[]) {
    const count = weights.length;
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    this.threshold = Float64Array.from(weights, (weight) => (weight * count) / total);
    this.alias = Int32Array.from(weights, (_, index) => index);
    const small: number[] = [];
    const large: number[] = [];
    for (const [index, share] of this.threshold.entries()) (share < 1 ? small : large).push(index);
    while (small.length > 0 && large.length > 0) {
      const less = small.pop() as number;
      const more = large.pop() as number;
      this.alias[less] = more;
      const left = (this.threshold[more] as number) - 1 + (this.threshold[less] as number);
      this.threshold[more] = left;
      (left < 1 ? small : large).push(more);
    }
    for (const index of [...small, ...large]) this.threshold[index] = 1;
  }

  draw(random: Random): number {
    const at = random.below(this.threshold.length);
    return random.fraction() < (this.threshold[at] as number) ? at : (this.alias[at] as number);
  }
}

/** Weights 1, 1/2^s, 1/3^s … */
export function zipfWeights(count: number, exponent: number): number[] {
  return Array.from({ length: count }, (_, index) => (index + 1) ** -exponent);
}
