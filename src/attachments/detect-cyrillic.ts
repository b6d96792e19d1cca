import type { TextEncoding } from '../kernel/text-encoding.js';

const encodings = ['windows-1251', 'koi8-r'] as const satisfies readonly TextEncoding[];
/** The letters of Russian, from the most frequent one on. */
const letters = 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё';
const averageRank = 12;
/** Cost of a capital letter in the middle of a word, which hardly any word has. */
const breakCost = 30;
/** Minimum length of a word that consists of such letters alone. */
const minWord = 3;
/** Minimum share of such words in all bytes from 0x80 on; in western texts, accents are among other letters. */
const minWordShare = 0.6;
/** Minimum number of such words: in western texts, a single one may consist of accents alone. */
const minWords = 2;
/** Number of bytes from 0x80 on that are hardly all such letters in a text of another script. */
const certainLetters = 8;

export interface CyrillicText {
  readonly encoding: TextEncoding;
  /** Whether it is hardly anything else. */
  readonly isCertain: boolean;
}

/** Detects in which Cyrillic encoding the bytes are text; undefined when they have hardly a word in Cyrillic letters. */
export function detectCyrillic(bytes: Uint8Array): CyrillicText | undefined {
  const { buffer, byteOffset, byteLength } = bytes;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  const words = (text.match(/[\xa3\xa8\xb3\xb8\xc0-\xff]+/g) ?? []).filter(({ length }) => length >= minWord);
  const count = words.join('').length;
  const high = text.match(/[\x80-\xff]/g)?.length ?? 0;
  if (words.length < minWords || count < high * minWordShare) return undefined;
  const joined = Buffer.from(words.join(' '), 'latin1');
  const [first, second] = encodings.map((encoding) => scoreOf(new TextDecoder(encoding).decode(joined)));
  if (Math.max(first ?? 0, second ?? 0) <= 0) return undefined;
  const encoding = encodings[(second ?? 0) > (first ?? 0) ? 1 : 0];
  return { encoding, isCertain: count === high && high >= certainLetters };
}

function scoreOf(text: string): number {
  const small = text.toLowerCase();
  let score = 0;
  for (const letter of small.replaceAll(' ', '')) {
    const rank = letters.indexOf(letter);
    score += rank < 0 ? -breakCost : averageRank - rank;
  }
  return score - breakCost * (text.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0);
}
