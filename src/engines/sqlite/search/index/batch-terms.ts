import { type Kind, kinds } from '../../../search-terms.js';
import { maxFrequentWords, pairId } from './index-database.js';
import type { TermIds } from './term-ids.js';

/** Numbered terms in a form that can be sent to another thread. */
export interface NumberedTerms {
  /** Kind of each term, by number; `pairKind` for a pair of frequent words. */
  readonly kinds: Uint8Array;
  readonly names: readonly string[];
  readonly labels: ReadonlyMap<number, string>;
  /** Numbers of the two words of a pair of frequent words, combined as in `numberOfPair`; 0 for other terms. */
  readonly pairs: Float64Array;
}

const pairKind = 0;
const kindCount = Math.max(...Object.values(kinds)) + 1;

/** Numbers the terms of a batch from 0, so that each name is looked up in the index once. */
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
    return this.numberOfPairId(first * maxFrequentWords + second);
  }

  /** Returns the number in this batch for a term of another batch. */
  numberOfOther({ kinds: ofKinds, names, labels, pairs }: NumberedTerms, number: number): number {
    const kind = ofKinds[number] as Kind | typeof pairKind;
    if (kind === pairKind) return this.numberOfPairId(pairs[number] as number);
    return this.numberOf(kind, names[number] as string, labels.get(number) ?? '');
  }

  toNumberedTerms(): NumberedTerms {
    const ofKinds = new Uint8Array(this.length);
    const names = new Array<string>(this.length).fill('');
    const labels = new Map<number, string>();
    const pairs = new Float64Array(this.length);
    for (const kind of Object.values(kinds)) {
      for (const [name, number] of this.numbers[kind] as ReadonlyMap<string, number>) {
        ofKinds[number] = kind;
        names[number] = name;
        const label = this.labels[kind]?.get(name);
        if (label !== undefined) labels.set(number, label);
      }
    }
    for (const [pair, number] of this.pairNumbers) pairs[number] = pair;
    return { kinds: ofKinds, names, labels, pairs };
  }

  private numberOfPairId(pair: number): number {
    const known = this.pairNumbers.get(pair);
    if (known !== undefined) return known;
    this.pairNumbers.set(pair, this.length);
    return this.length++;
  }

  /** Returns the ids of the terms by number; adds missing terms. */
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
