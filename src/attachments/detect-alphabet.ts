import { decodeStrictly, type TextEncoding } from '../kernel/text-encoding.js';

/** Alphabet of 33 to 70 letters in the upper half of an encoding of one byte a character. */
interface Alphabet {
  readonly encoding: TextEncoding;
  /** Letters and marks, from the most frequent one on. */
  readonly letters: string;
  /** Minimum number of words: in western texts, a single one may consist of accents alone. */
  readonly minWords: number;
  /** Number of letters in different words that are hardly all letters of words in a text of another script. */
  readonly certainLetters: number;
}

const russian = 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё';
const greek = 'αοιετνσηυρπκμλςάίδόέγθήχφύωξβώζψϊϋΐΰ';
const hebrew = 'יוהלארתבמשנםדקחפעכטגסזצןךףץ';
const arabic = 'اليمونرتبةعدسفهكقأحجشصطخىإءضزثذئغظؤآ';
const thai = 'านรอก่เมง้วลยทดัสิีตคปหบะพจแขชใไู็ํุโผึำืถซ์ณธภศญฟษฐฝฎฉฏฮฆฬฑฤๆฯฌฒ';
const alphabets: readonly Alphabet[] = [
  { encoding: 'windows-1251', letters: russian, minWords: 2, certainLetters: 8 },
  { encoding: 'koi8-r', letters: russian, minWords: 2, certainLetters: 8 },
  { encoding: 'windows-1253', letters: greek, minWords: 2, certainLetters: 8 },
  { encoding: 'windows-1255', letters: hebrew, minWords: 2, certainLetters: 8 },
  { encoding: 'windows-1256', letters: arabic, minWords: 2, certainLetters: 8 },
  // There are no spaces between words, and the bytes of few Chinese characters are such letters too.
  { encoding: 'windows-874', letters: thai, minWords: 1, certainLetters: 16 },
];

/** Minimum number of letters that are a word. */
const minWord = 3;
/** Minimum share of words in all bytes from 0x80 on; in western texts, accents are among other letters. */
const minWordShare = 0.6;
/** Number of bytes that are looked at, from the first one from 0x80 on; more would take too long, and say no more. */
const sampleBytes = 4_096;
/** Logarithm of how rare another character is. */
const otherCost = 5.5;
/** Logarithm of how rare a sequence is that no word has. */
const breakCost = 8;
/** Minimum of the logarithm by which the letters are likelier than letters at random; fewer show less. */
const minLikelihood = { few: 0, more: -0.3 };
const fewLetters = 8;
/** A capital in the middle of a word; in Thai, a mark without its consonant, or a vowel that precedes none. */
const breaks = /\p{Ll}\p{Lu}|(?<![ก-ฮัิ-ู็-์ํ])[ัิ-ฺ็-๎]|[เ-ไ](?![ก-ฮ])/gu;
/** Lines and bars of code page 437 repeat a byte; words hardly repeat a letter twice. */
const repeated = /(.)\1\1/u;

export interface AlphabeticText {
  readonly encoding: TextEncoding;
  /** Whether it is hardly anything else. */
  readonly isCertain: boolean;
}

/**
 * Detects in which encoding the bytes are words of a Cyrillic, Greek, Hebrew, Arabic or Thai alphabet, by how frequent
 * their letters are; undefined when they are hardly any.
 */
export function detectAlphabet(bytes: Uint8Array): AlphabeticText | undefined {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const sample = Buffer.from(bytes.subarray(first, first + sampleBytes));
  const text = sample.toString('latin1');
  const high = text.match(/[\x80-\xff]/g)?.length ?? 0;
  const inRows = (text.match(/[\x80-\xff]{3,}/g) ?? []).join('').length;
  if (inRows < high * minWordShare) return undefined;
  const found = alphabets.flatMap((alphabet) => measure(sample, alphabet, high) ?? []);
  const [best] = found.sort((one, other) => other.likelihood - one.likelihood);
  return best && decodeStrictly(bytes, best.encoding) !== undefined ? best : undefined;
}

function measure(bytes: Uint8Array, { encoding, letters, minWords, certainLetters }: Alphabet, high: number) {
  const text = decodeStrictly(bytes, encoding);
  if (text === undefined) return undefined;
  const pattern = new RegExp(`[${letters}${letters.toUpperCase()}]{${minWord},}`, 'gu');
  const words = (text.match(pattern) ?? []).filter((word) => !repeated.test(word));
  const joined = words.join('').toLowerCase();
  const count = joined.length;
  if (words.length < minWords || count < 2 * minWord || count < high * minWordShare) return undefined;
  let letterSum = 0;
  for (const letter of joined) letterSum += likelihoodOf(letters.indexOf(letter), letters.length);
  letterSum -= breakCost * (words.join(' ').match(breaks)?.length ?? 0);
  const required = count < fewLetters ? minLikelihood.few : minLikelihood.more;
  if (letterSum / count + Math.log(letters.length) < required) return undefined;
  const likelihood = (letterSum - otherCost * (high - count)) / high;
  // A word that is repeated says no more than once: a table in Chinese may repeat a status.
  const different = [...new Set(words)].join('').length;
  return { encoding, isCertain: count === high && different >= certainLetters, likelihood };
}

/** Letters become rarer with their rank, in equal steps. */
function likelihoodOf(rank: number, count: number): number {
  return rank < 0 ? -otherCost : Math.log((2 * (count - rank - 0.5)) / count ** 2);
}
