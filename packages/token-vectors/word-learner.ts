import { isFunctionWord } from './function-words.js';
import { lengthOf, scaled, type TokenVectors } from './token-vectors.js';
import { vectorBytes, writeVectorTable } from './vector-table.js';
import { wordsIn } from './word-pieces.js';

/** Maximum number of words that are learned. Up to twice as many are counted, at about 1 kB each. */
export const maxLearnedWords = 16_384;
/** Minimum number of texts to learn a word. */
const minTexts = 3;
/** Maximum number of words of a text that are used. */
const maxWordsPerText = 64;
const maxWordLength = 40;
const digits = /^\d+$/;

/** Sum of the vectors of the texts around a word. */
interface Context {
  texts: number;
  readonly sum: Float32Array;
}

/**
 * Learns vectors of words from texts. A word gets the mean vector of the other words of the texts that contain it,
 * minus the mean of all texts, so that a word that no public model contains is near words used in the same situations.
 * The result depends only on the texts and their order.
 */
export class WordLearner {
  private readonly contexts = new Map<string, Context>();
  private readonly all: Context = { texts: 0, sum: new Float32Array(vectorBytes) };

  /** @param vectors without learned words */
  constructor(private readonly vectors: TokenVectors) {}

  /** Number of counted words, which determines the memory used. */
  get countedWords(): number {
    return this.contexts.size;
  }

  add(text: string): void {
    const words = Array.from(new Set(wordsIn(text)))
      .filter((word) => word.length <= maxWordLength && !digits.test(word) && !isFunctionWord(word))
      .slice(0, maxWordsPerText)
      .map((word) => ({ word, own: this.vectors.sum([[word, 1]]) }));
    const sum = new Float64Array(vectorBytes);
    for (const { own } of words) addTo(sum, own, 1);
    add(this.all, sum);
    for (const { word, own } of words) {
      const others = Float64Array.from(sum);
      addTo(others, own, -1);
      add(this.contextOf(word), others);
    }
    if (this.contexts.size > 2 * maxLearnedWords) this.dropRarest();
  }

  /** Returns the learned words with their vectors, as a file for `TokenVectors.with`. */
  learn(): Uint8Array<ArrayBuffer> {
    const learned = Array.from(this.contexts)
      .filter(([, { texts }]) => texts >= minTexts)
      .sort(([word, { texts }], [otherWord, other]) => other.texts - texts || (word < otherWord ? -1 : 1))
      .slice(0, maxLearnedWords)
      .map(([word, context]) => [word, this.vectorOf(context)] as const);
    return writeVectorTable(new Map(learned));
  }

  /**
   * Returns the difference between the mean of the texts around a word and that of all texts. It is shorter if chance
   * may explain it, because the texts are few or have nothing in common.
   */
  private vectorOf({ texts, sum }: Context): Int8Array {
    const mean = Float64Array.from(sum, (value) => value / texts);
    const variance = (1 - lengthOf(mean) ** 2) / texts;
    addTo(mean, this.all.sum, -1 / this.all.texts);
    const reliability = Math.max(0, 1 - variance / lengthOf(mean) ** 2);
    return scaled(mean, reliability ** 2);
  }

  private contextOf(word: string): Context {
    const known = this.contexts.get(word);
    if (known) return known;
    const context = { texts: 0, sum: new Float32Array(vectorBytes) };
    this.contexts.set(word, context);
    return context;
  }

  private dropRarest(): void {
    for (let texts = 1; this.contexts.size > maxLearnedWords; texts++) {
      for (const [word, context] of this.contexts) if (context.texts <= texts) this.contexts.delete(word);
    }
  }
}

/** Adds a vector to the sum, scaled to length 1 so that each text has the same influence. */
function add(context: Context, vector: Float64Array): void {
  const length = lengthOf(vector);
  if (length === 0) return;
  context.texts += 1;
  addTo(context.sum, vector, 1 / length);
}

function addTo(sum: Float32Array | Float64Array, vector: Float32Array | Float64Array, weight: number): void {
  for (let i = 0; i < vectorBytes; i++) sum[i] = (sum[i] as number) + weight * (vector[i] as number);
}
