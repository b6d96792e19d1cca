import { chunksOf, partsOf } from './tokenize.js';

/**
 * The language of search texts:
 *
 *     text   = { item }                     items are separated by spaces, brackets, commas and the like
 *     item   = phrase | word
 *     phrase = '"' { any character but '"' } '"'
 *     word   = a run of other characters; `*` and `?` in it are wildcards
 *
 * query-text.ts has the language of the search box, which adds filters and flags. The functions accept any text;
 * callers must limit its length.
 */

/** A match that must occur in the searched text. Its words are folded, see tokenize.ts. */
export type TextMatch =
  | { readonly kind: 'phrase'; readonly words: readonly string[] }
  | { readonly kind: 'wildcard'; readonly pattern: string }
  | { readonly kind: 'fuzzy'; readonly word: string; readonly maxDistance: 1 | 2 };

/** Parses a text. An unclosed double quote extends to the end. */
export function parseText(text: string, fuzzy: boolean): TextMatch[] {
  return text.split('"').flatMap((piece, at) => (at % 2 === 1 ? parsePhrase(piece) : parseWords(piece, fuzzy)));
}

/** Returns whether a double quote in the text is not closed. */
export function hasOpenQuote(text: string): boolean {
  return text.split('"').length % 2 === 0;
}

export function parseWords(text: string, fuzzy: boolean): TextMatch[] {
  return chunksOf(text).flatMap((chunk) => parseWord(chunk, fuzzy));
}

/** Parses the content of a pair of quotes. */
export function parsePhrase(text: string): TextMatch[] {
  const words = partsOf(text);
  return words.length === 0 ? [] : [{ kind: 'phrase', words }];
}

function parseWord(chunk: string, fuzzy: boolean): TextMatch[] {
  if (/[*?]/.test(chunk)) {
    const pattern = joinStars(chunk);
    return pattern === '*' ? [] : [{ kind: 'wildcard', pattern }];
  }
  if (!fuzzy) return parsePhrase(chunk);
  return partsOf(chunk).map((word) => {
    const length = [...word].length;
    if (length < 3) return { kind: 'phrase', words: [word] };
    return { kind: 'fuzzy', word, maxDistance: length <= 5 ? 1 : 2 };
  });
}

/** Replaces consecutive stars by one, which matches the same texts. */
export function joinStars(pattern: string): string {
  return pattern.replace(/\*+/g, '*');
}
