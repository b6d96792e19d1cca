/**
 * How text becomes words, for what is stored and for what is asked alike.
 *
 * Each word of the text is a run of letters and digits ("parts"); what is written without a space and has inner
 * punctuation, such as the device name `SR:C03-MG:G02A{Quad:1}`, is also kept whole ("names") so that wildcards can
 * reach across its parts. Han, Hiragana and Katakana have no spaces between words: each character is a part, and so is
 * each emoji.
 */

/** Longer words are indexed and searched by their first characters only. */
export const maxWordLength = 256;

/** A word begins with a letter or a digit; a mark without one, such as what asks for a coloured emoji, belongs to none. */
const part =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{Extended_Pictographic}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー])[\p{L}\p{N}]\p{M}*)+/gu;
const nameSeparator = /[\s\p{Cc},;|"'`<>=()[\]]+/u;
/** Most of what a text is made of, and no name. */
const oneWord = /^[a-z0-9]*[.,:;!?]?$/;
const inWord = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}*?]/u;
const severalParts =
  /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{Extended_Pictographic}].|.[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{Extended_Pictographic}]/su;

/**
 * Lower case, accents and invisible characters off, compatibility forms unified (µ, ﬁ, full width). Other scripts' marks
 * stay. ™, º and their like are no letters of the word before them.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  // Most text is ASCII, of which nothing else changes.
  if (/^[\0-\x7f]*$/.test(lower)) return lower;
  return text
    .replace(/[™℠ªº]/g, ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u20e3\u00ad\u200b-\u200d\u2060\ufeff\p{VS}]/gu, '')
    .normalize('NFC')
    .replaceAll('ς', 'σ');
}

/** The parts of a text, folded, in order. */
export function partsOf(text: string): string[] {
  return partsIn(fold(text));
}

function partsIn(folded: string): string[] {
  const parts = folded.match(part) ?? [];
  for (const [at, found] of parts.entries())
    if (found.length > maxWordLength) parts[at] = found.slice(0, maxWordLength).toWellFormed();
  return parts;
}

/** The names of several parts in a text, folded, in order; those too long to be a name are left out. */
export function namesOf(text: string): string[] {
  return namesIn(fold(text));
}

function namesIn(folded: string): string[] {
  return folded
    .split(nameSeparator)
    .filter((chunk) => !oneWord.test(chunk))
    .map(trimPunctuation)
    .filter((chunk) => chunk !== '' && chunk.length <= maxWordLength && severalParts.test(chunk));
}

/** Parts and names of a text, which is folded once for both. */
export function termsOf(text: string): { readonly parts: readonly string[]; readonly names: readonly string[] } {
  const folded = fold(text);
  return { parts: partsIn(folded), names: namesIn(folded) };
}

/**
 * What a text has between spaces, brackets, quotes, commas and the like, folded, without the punctuation around it;
 * the wildcards `*` and `?` are not punctuation.
 */
export function chunksOf(text: string): string[] {
  return fold(text)
    .split(nameSeparator)
    .map(trimPunctuation)
    .filter((chunk) => chunk !== '');
}

/** In one pass from either end: a pattern for both would go through every run of punctuation again and again. */
function trimPunctuation(chunk: string): string {
  const start = chunk.search(inWord);
  if (start < 0) return '';
  let end = chunk.length;
  while (end > start) {
    const last = chunk.codePointAt(end - 1) ?? 0;
    // The second half of a surrogate pair belongs to the character before it.
    const from = last >= 0xdc00 && last <= 0xdfff ? end - 2 : end - 1;
    if (inWord.test(chunk.slice(from, end))) break;
    end = from;
  }
  return chunk.slice(start, end);
}
