import { Random, WeightedDraw, zipfWeights } from './random.js';

const termCount = 150_000;
/** The commonest words belong to no family. */
const plainRanks = 1_000;
/** Share of accented words among the rarer ones, so that most entries are ASCII alone. */
const accentedShare = 0.01;

// Consonants of words, except c, w, x and y. The mark of a family contains one of these four, so that it occurs only in
// the words of that family.
const consonants = [...'bdfghjklmnprstvz'];
const vowels = [...'aeiou'];
const accents: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'ï', o: 'ö', u: 'ü' };

/** Wildcard patterns, by how many different words each stands for. */
export interface Families {
  readonly tenByEnding: readonly string[];
  readonly tenByMiddle: readonly string[];
  readonly hundredByEnding: readonly string[];
  readonly hundredByMiddle: readonly string[];
  readonly thousands: readonly string[];
}

/** Made-up words, as frequent as those of a language: the n-th is 1/n as frequent as the first. */
export class Vocabulary {
  /** Commonest first. */
  readonly words: readonly string[];
  readonly families: Families;
  private readonly frequencies = new WeightedDraw(zipfWeights(termCount, 1));
  private readonly harmonic = zipfWeights(termCount, 1).reduce((sum, weight) => sum + weight, 0);

  constructor(seed: number) {
    const random = new Random(seed, 1);
    const taken = new Set<string>();
    const unused = (make: () => string) => {
      for (;;) {
        const word = make();
        if (taken.has(word)) continue;
        taken.add(word);
        return word;
      }
    };
    const marks = random.shuffle(allMarks());
    const inFamilies: string[] = [];
    const family = (size: number, words: (mark: string) => string, pattern: (mark: string) => string) => {
      const mark = marks.pop() ?? '';
      for (let member = 0; member < size; member++) inFamilies.push(unused(() => words(mark)));
      return pattern(mark);
    };
    const families = (count: number, size: number, place: 'ending' | 'middle') =>
      Array.from({ length: count }, () =>
        place === 'ending'
          ? family(
              size,
              (mark) => stem(random) + mark,
              (mark) => `*${mark}`,
            )
          : family(
              size,
              (mark) => stem(random) + mark + openWord(random, random.between(1, 2)),
              (mark) => `*${mark}*`,
            ),
      );
    const endings = ['pole', 'tron', 'meter', 'valve'];
    for (const ending of endings) {
      for (let member = 0; member < 4_500; member++) inFamilies.push(unused(() => longStem(random) + ending));
    }
    this.families = {
      tenByEnding: families(200, 8, 'ending'),
      tenByMiddle: families(200, 8, 'middle'),
      hundredByEnding: families(40, 130, 'ending'),
      hundredByMiddle: families(40, 130, 'middle'),
      thousands: endings.flatMap((ending) => [`*${ending}`, `*?${ending}`, `*??${ending}`]),
    };
    const plain = Array.from({ length: termCount - inFamilies.length }, (_, rank) => {
      const word = unused(() => makeWord(random, rank < 200 ? random.between(1, 2) : random.between(2, 4)));
      return rank >= plainRanks && random.chance(accentedShare) ? withAccent(word) : word;
    });
    const others = random.shuffle([...plain.slice(plainRanks), ...inFamilies]);
    this.words = [...plain.slice(0, plainRanks), ...others];
  }

  draw(random: Random): string {
    return this.words[this.frequencies.draw(random)] as string;
  }

  /**
   * Returns a word that a text of `length` words has with a probability between the two; if no word is so rare, one of
   * the rarest.
   */
  wordBetween(random: Random, length: number, least: number, most: number): string {
    const rankOf = (probability: number) => {
      const inOneWord = -Math.log(1 - Math.min(probability, 0.999)) / length;
      return Math.min(Math.max(Math.round(1 / (inOneWord * this.harmonic)), 1), termCount);
    };
    const first = Math.min(rankOf(most), termCount - 10_000);
    const last = Math.max(rankOf(least), first);
    return this.words[random.between(first, last) - 1] as string;
  }
}

/** A pronounceable word. */
export function makeWord(random: Random, syllables: number): string {
  let word = '';
  for (let at = 0; at < syllables; at++) word += random.pick(consonants) + random.pick(vowels);
  return random.chance(0.6) ? word + random.pick(consonants) : word;
}

function openWord(random: Random, syllables: number): string {
  let word = '';
  for (let at = 0; at < syllables; at++) word += random.pick(consonants) + random.pick(vowels);
  return word;
}

/** Returns a stem that ends in a consonant. */
function stem(random: Random): string {
  return openWord(random, random.between(1, 2)) + random.pick(consonants);
}

function longStem(random: Random): string {
  return openWord(random, random.between(2, 3));
}

function withAccent(word: string): string {
  return word.replace(/[aeiou](?!.*[aeiou])/, (vowel) => accents[vowel] ?? vowel);
}

/** Returns all marks, such as `oxan`. */
function allMarks(): string[] {
  return vowels.flatMap((first) =>
    [...'xwyc'].flatMap((letter) =>
      vowels.flatMap((second) => consonants.map((last) => `${first}${letter}${second}${last}`)),
    ),
  );
}
