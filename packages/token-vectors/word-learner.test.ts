import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cosine, TokenVectors } from './token-vectors.js';
import { readVectorTable } from './vector-table.js';
import { maxLearnedWords, WordLearner } from './word-learner.js';

const file = readFileSync(join(import.meta.dirname, '../../../assets/meaning/token-vectors.bin'));
const distilled = TokenVectors.read(file);

function learnFrom(texts: readonly string[]): Uint8Array {
  const learner = new WordLearner(distilled);
  for (const text of texts) learner.add(text);
  return learner.learn();
}

const wordsOf = (learned: Uint8Array) => [...readVectorTable(learned).rows.keys()];

const leaks = ['water leak at the pipe', 'coolant dripping on the floor', 'wet floor below the valve'];
const lasers = ['laser mirror misaligned', 'optical cavity lost its lock', 'seed light out of phase'];
const texts = Array.from({ length: 10 }, () => [
  ...leaks.map((text) => `Zorbquix ${text}`),
  ...lasers.map((text) => `Vlimdrat ${text}`),
]).flat();

describe('learned words', () => {
  test('a word unknown to public models is near the words used around it', () => {
    const vectors = distilled.with(learnFrom(texts));
    const likeness = (one: string, other: string) => cosine(vectors.embed([[one, 1]]), vectors.embed([[other, 1]]));
    for (const [word, near, far] of [
      ['zorbquix', 'wet ground, coolant dripping', 'optical mirror of the laser'],
      ['vlimdrat', 'optical mirror of the laser', 'wet ground, coolant dripping'],
    ] as const) {
      expect(likeness(word, near)).toBeGreaterThan(likeness(word, far) + 0.1);
    }
  });

  test('the same texts give the same vectors', () => {
    expect(learnFrom(texts)).toEqual(learnFrom(texts));
  });

  test('words in fewer than three texts, numbers and function words are not learned', () => {
    const words = wordsOf(
      learnFrom([
        ...texts,
        'Krelp 123 für leak',
        'Krelp 123 für leak',
        '123 nach für leak',
        '123 nach leak',
        '123 nach leak',
      ]),
    );
    expect(words).toEqual(expect.arrayContaining(['zorbquix', 'vlimdrat', 'leak']));
    for (const word of ['krelp', '123', 'nach', 'fur', 'für']) expect(words).not.toContain(word);
  });

  test('a word whose texts have nothing in common has little influence', () => {
    const random = [...leaks, ...lasers].map((text) => `Quaxel ${text}`);
    const vectors = distilled.with(learnFrom([...texts, ...random]));
    const shift = (word: string) => 1 - cosine(vectors.embed([[word, 1]]), distilled.embed([[word, 1]]));
    expect(shift('quaxel')).toBeLessThan(shift('zorbquix') / 4);
  });

  test('the number of counted words is limited, and frequent ones are kept', () => {
    const learner = new WordLearner(distilled);
    for (let text = 0; text < 2.5 * maxLearnedWords; text += 50) {
      const rare = Array.from({ length: 50 }, (_, at) => `w${(text + at).toString(36)}`);
      learner.add(`Zorbquix ${rare.join(' ')}`);
      expect(learner.countedWords).toBeLessThanOrEqual(2 * maxLearnedWords);
    }
    expect(wordsOf(learner.learn())).toEqual(['zorbquix']);
  });
});
