import { type Kind, kinds } from '../../../search-terms.js';
import { maxFrequentWords, pairId } from './index-database.js';
import type { TermIds } from './term-ids.js';

const kindCount = Math.max(...Object.values(kinds)) + 1;

/** Numbers the terms of a batch from 0 on, so that each name is looked up in the index once. */
export class BatchTerms {
  private readonly numbers = Array.from({ length: kindCount }, () => new Map<string, number>());
  private readonly labels = Array.from({ length: kindCount }, () => new Map<string, string>());
  private readonly pairNumbers = new Map<number, number>();
  length = 0;

  numberOf(kind: Kind, name: string, label: string): number {
    const numbers = this.numbers[kind] as Map<string, number>;
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, this.length);
    if (label !== '') this.labels[kind]?.set(name, label);
    return this.length++;
  }

  has(kind: Kind, name: string): boolean {
    return this.numbers[kind]?.has(name) ?? false;
  }

  numberOfPair(first: number, second: number): number {
    const pair = first * maxFrequentWords + second;
    const known = this.pairNumbers.get(pair);
    if (known !== undefined) return known;
    this.pairNumbers.set(pair, this.length);
    return this.length++;
  }

  /** Returns the term ids by number. Terms that do not exist are added. */
  findOrAddIds(termIds: TermIds): Float64Array {
    const ids = new Float64Array(this.length);
    for (const kind of Object.values(kinds)) {
      const numbers = this.numbers[kind] as ReadonlyMap<string, number>;
      const labels = this.labels[kind] as ReadonlyMap<string, string>;
      termIds.findOrAdd(kind, numbers.keys(), labels, (name, id) => {
        ids[numbers.get(name) as number] = id;
      });
    }
    for (const [pair, number] of this.pairNumbers) {
      ids[number] = pairId(Math.floor(pair / maxFrequentWords), pair % maxFrequentWords);
    }
    return ids;
  }
}
