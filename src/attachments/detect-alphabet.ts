import { decodeStrictly, type TextEncoding } from '../kernel/text-encoding.js';

/** Alphabet of 33 to 70 letters in the upper half of a single-byte encoding. */
interface Alphabet {
  readonly encoding: TextEncoding;
  /** Letters and marks, the most frequent first. */
  readonly letters: string;
  /** Minimum number of words. In western texts, a single word may consist of accented letters. */
  readonly minWords: number;
  /** Minimum number of letters in distinct words for a certain result. Other texts hardly ever reach it by chance. */
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
  // Thai has no spaces between words, and the bytes of a few Chinese characters look like Thai letters.
  { encoding: 'windows-874', letters: thai, minWords: 1, certainLetters: 16 },
];

/** Minimum number of letters in a word. */
const minWord = 3;
/**
 * Minimum share of the bytes above 0x7f that are in words. In western texts, accented letters stand among ASCII
 * letters.
 */
const minWordShare = 0.6;
/** Number of examined bytes, from the first one above 0x7f. More would take longer without a better result. */
const sampleBytes = 4_096;
/** Cost of a character outside of the alphabet: the logarithm of its rarity. */
const otherCost = 5.5;
/** Cost of a sequence that occurs in no word: the logarithm of its rarity. */
const breakCost = 8;
/** Minimum log-likelihood of the letters relative to random ones. A few letters prove less, and need a higher one. */
const minLikelihood = { few: 0, more: -0.3 };
const fewLetters = 8;
/** Matches a capital within a word; in Thai, a mark or a vowel without its consonant. */
const breaks = /\p{Ll}\p{Lu}|(?<![ก-ฮัิ-ู็-์ํ])[ัิ-ฺ็-๎]|[เ-ไ](?![ก-ฮ])/gu;
/** Matches a letter three times in a row: lines drawn in code page 437 repeat a byte, words hardly ever do. */
const repeated = /(.)\1\1/u;

export interface AlphabeticText {
  readonly encoding: TextEncoding;
  /** Whether another encoding is very unlikely. */
  readonly isCertain: boolean;
}

/**
 * Detects the encoding of a text in a Cyrillic, Greek, Hebrew, Arabic or Thai alphabet by the frequency of its letters;
 * undefined when it probably has another alphabet.
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
  // Counts each word once, because a table in Chinese may repeat a status.
  const different = [...new Set(words)].join('').length;
  return { encoding, isCertain: count === high && different >= certainLetters, likelihood };
}

/**
 * Returns the log-likelihood of a letter, assuming that the frequency of letters decreases with the rank in equal
 * steps.
 */
function likelihoodOf(rank: number, count: number): number {
  return rank < 0 ? -otherCost : Math.log((2 * (count - rank - 0.5)) / count ** 2);
}
