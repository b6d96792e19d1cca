/**
 * Splits text into words, in the same way for stored text and for queries.
 *
 * A word is a run of letters and digits (a “part”). Text without spaces but with punctuation inside, such as the device
 * name `SR:C03-MG:G02A{Quad:1}`, is in addition one term as a whole (a “name”), so that wildcards can span its parts.
 * Han, Hiragana and Katakana have no spaces between words: each character is a part, and so is each emoji. Korean
 * writes particles directly after a word: where Hangul and other letters or digits meet, one part ends and another
 * begins.
 */

/** Maximum length of a word. Longer words are truncated, both in the index and in queries. */
export const maxWordLength = 256;

const ascii = /^[\0-\x7f]*$/;
/**
 * A part of a text. It begins with a letter or a digit, so that a mark without one, such as an emoji variation
 * selector, is not a part.
 */
const part =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{Extended_Pictographic}]|(?:(?=\p{L})\p{sc=Hang}\p{M}*)+|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}ー])[\p{L}\p{N}]\p{M}*)+/gu;
/** Matches like `part` in a text of ASCII characters, several times as fast. */
const asciiPart = /[a-z0-9]+/g;
const nameSeparator = /[\s\p{Cc},;|"'`<>=()[\]]+/u;
const nameChunk = /[^\s\p{Cc},;|"'`<>=()[\]]+/gu;
/** Matches a plain word, which cannot be a name. It is tested first, because most words of a text are plain. */
const oneWord = /^[a-z0-9]*[.,:;!?]?$/;
const inWord = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}*?]/u;
const severalParts =
  /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{Extended_Pictographic}].|.[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{Extended_Pictographic}]|\p{sc=Hang}(?!\p{sc=Hang})[\p{L}\p{N}]|(?!\p{sc=Hang})[\p{L}\p{N}]\p{M}*\p{sc=Hang}/su;

/**
 * Folds a text to lower case, removes accents and invisible characters, and unifies compatibility forms (µ, ﬁ, full
 * width). Marks of other scripts remain. Signs such as ™ and º are not letters of the word before them.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  // Most text is ASCII, in which nothing else changes.
  if (ascii.test(lower)) return lower;
  return text
    .replace(/[™℠ªº]/g, ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u20e3\u00ad\u200b-\u200d\u2060\ufeff\p{VS}]/gu, '')
    .normalize('NFC')
    .replaceAll('ς', 'σ');
}

/** Lists the parts of a text, folded, in order. */
export function partsOf(text: string): string[] {
  return partsIn(fold(text));
}

function partsIn(folded: string): string[] {
  const parts = folded.match(ascii.test(folded) ? asciiPart : part) ?? [];
  // A plain loop is faster than an iterator, and this runs for each indexed word.
  for (let at = 0; at < parts.length; at++) {
    const found = parts[at] as string;
    if (found.length > maxWordLength) parts[at] = found.slice(0, maxWordLength).toWellFormed();
  }
  return parts;
}

/** Lists the names with several parts in a text, folded, in order. Names above `maxWordLength` are omitted. */
export function namesOf(text: string): string[] {
  return namesIn(fold(text));
}

function namesIn(folded: string): string[] {
  return folded
    .split(nameSeparator)
    .filter((chunk) => !oneWord.test(chunk))
    .map(trimPunctuation)
    .filter(isName);
}

const isName = (chunk: string): boolean => chunk !== '' && chunk.length <= maxWordLength && severalParts.test(chunk);

/** Lists the parts and the names of a text, which is folded only once for both. */
export function termsOf(text: string): { readonly parts: readonly string[]; readonly names: readonly string[] } {
  const folded = fold(text);
  return { parts: partsIn(folded), names: namesIn(folded) };
}

/**
 * Minimum length of a slice, in UTF-16 code units. The terms of a slice are released before the next one. Those of a
 * whole long text would survive, and the garbage collector would copy them.
 */
const sliceLength = 8_192;
/** U+FEFF counts as a space in JavaScript, but `fold` removes it within a word. */
const nextSpace = /[^\S\ufeff]/g;

/**
 * Calls `visit` with slices of a text, which is cut only at spaces. Together, the slices have the parts and names of
 * the text.
 */
export function forEachSlice(text: string, visit: (slice: string) => void): void {
  let start = 0;
  while (text.length - start > 2 * sliceLength) {
    nextSpace.lastIndex = start + sliceLength;
    const end = nextSpace.exec(text)?.index;
    if (end === undefined) break;
    visit(text.slice(start, end));
    start = end;
  }
  visit(start === 0 ? text : text.slice(start));
}

/** A part or a name, with its position in a folded text. */
export interface LocatedTerm {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the parts of a folded text, with their positions. */
export function locatedParts(folded: string): LocatedTerm[] {
  return Array.from(folded.matchAll(ascii.test(folded) ? asciiPart : part), ({ 0: found, index }) => ({
    term: found.length > maxWordLength ? found.slice(0, maxWordLength).toWellFormed() : found,
    start: index,
    end: index + found.length,
  }));
}

/** Lists the names of a folded text, with their positions. */
export function locatedNames(folded: string): LocatedTerm[] {
  return Array.from(folded.matchAll(nameChunk), ({ 0: chunk, index }) => {
    const [start, end] = withoutPunctuation(chunk);
    return { term: chunk.slice(start, end), start: index + start, end: index + end };
  }).filter(({ term }) => isName(term));
}

/**
 * Splits a text at separators such as spaces, brackets, quotes and commas, and returns the folded chunks without
 * surrounding punctuation. The wildcards `*` and `?` are not punctuation.
 */
export function chunksOf(text: string): string[] {
  return fold(text)
    .split(nameSeparator)
    .map(trimPunctuation)
    .filter((chunk) => chunk !== '');
}

function trimPunctuation(chunk: string): string {
  return chunk.slice(...withoutPunctuation(chunk));
}

/**
 * Returns start and end of a chunk without surrounding punctuation. Scans once from either end, because a regular
 * expression would need quadratic time on long runs of punctuation.
 */
function withoutPunctuation(chunk: string): [start: number, end: number] {
  const start = chunk.search(inWord);
  if (start < 0) return [0, 0];
  let end = chunk.length;
  while (end > start) {
    const last = chunk.codePointAt(end - 1) ?? 0;
    // The second half of a surrogate pair belongs to the character before it.
    const from = last >= 0xdc00 && last <= 0xdfff ? end - 2 : end - 1;
    if (inWord.test(chunk.slice(from, end))) break;
    end = from;
  }
  return [start, end];
}
