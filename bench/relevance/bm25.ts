import { partsOf } from '../../packages/search-language/tokenize.js';

const saturation = 1.2;
const lengthShare = 0.75;

/** Ranks entries by their words alone: BM25 with its usual constants; any word of the query may occur. */
export class Bm25 {
  private readonly postings = new Map<string, Map<number, number>>();
  private readonly lengths: readonly number[];
  private readonly averageLength: number;

  constructor(private readonly entries: readonly string[]) {
    this.lengths = entries.map((entry, number) => {
      const words = partsOf(entry);
      for (const word of words) {
        const list = this.postings.get(word) ?? new Map<number, number>();
        list.set(number, (list.get(number) ?? 0) + 1);
        this.postings.set(word, list);
      }
      return words.length;
    });
    this.averageLength = this.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, entries.length);
  }

  /** Returns the numbers of the entries with any word, the best first. */
  rank(text: string): number[] {
    const scores = new Map<number, number>();
    for (const word of new Set(partsOf(text))) {
      const list = this.postings.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (this.entries.length - list.size + 0.5) / (list.size + 0.5));
      for (const [number, count] of list) {
        const length = (this.lengths[number] as number) / this.averageLength;
        const slack = saturation * (1 - lengthShare + lengthShare * length);
        scores.set(number, (scores.get(number) ?? 0) + (rarity * count * (saturation + 1)) / (count + slack));
      }
    }
    return [...scores].sort(([one, score], [other, best]) => best - score || one - other).map(([number]) => number);
  }
}
