import { Fault, quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import type { TextMatch } from './query.js';
import { searchLimits } from './search-limits.js';
import { chunksOf, partsOf } from './tokenize.js';

/**
 * The language of search texts:
 *
 *     text   = { item }                     items are separated by spaces, brackets, commas and the like
 *     item   = phrase | word
 *     phrase = '"' { any character but '"' } '"'
 *     word   = a run of other characters; `*` and `?` in it are wildcards
 *
 * query-text.ts parses the parameter `query`, the one box that searches everywhere.
 */

/** @throws Fault invalid `search.…` */
export function parseText(value: string, fuzzy: boolean): TextMatch[] {
  return splitAtQuotes(value).flatMap(({ text, isQuoted }) => (isQuoted ? parsePhrase(text) : parseWords(text, fuzzy)));
}

/** Parses a text without quotes. @throws Fault invalid `search.too-many-wildcards` */
export function parseWords(text: string, fuzzy: boolean): TextMatch[] {
  return chunksOf(text).flatMap((chunk) => parseWord(chunk, fuzzy));
}

export function parsePhrase(value: string): TextMatch[] {
  const words = partsOf(value);
  return words.length === 0 ? [] : [{ kind: 'phrase', words }];
}

/** @throws Fault invalid `search.too-many-wildcards` */
export function checkStars(pattern: string): string {
  if (pattern.split('*').length - 1 > searchLimits.stars) {
    throw limitFault('invalid', 'search.too-many-wildcards', {
      refused: `${quoted(pattern)} contains too many wildcards.`,
      limit: { amount: `${searchLimits.stars} “*”`, setting: undefined, countedFor: 'each word, of any client' },
      advice: 'Use fewer.',
    });
  }
  return pattern;
}

/** @throws Fault invalid `search.unbalanced-quotes` */
export function checkQuotes(value: string): void {
  if (value.split('"').length % 2 === 0) {
    throw new Fault(
      'invalid',
      'search.unbalanced-quotes',
      `A double quote in ${quoted(value)} is not closed. Close it, or remove it.`,
    );
  }
}

function splitAtQuotes(value: string): { readonly text: string; readonly isQuoted: boolean }[] {
  checkQuotes(value);
  return value.split('"').map((text, at) => ({ text, isQuoted: at % 2 === 1 }));
}

function parseWord(chunk: string, fuzzy: boolean): TextMatch[] {
  if (/[*?]/.test(chunk)) {
    const pattern = checkStars(chunk.replace(/\*+/g, '*'));
    return pattern === '*' ? [] : [{ kind: 'wildcard', pattern }];
  }
  if (!fuzzy) return parsePhrase(chunk);
  return partsOf(chunk).map((word) => {
    const length = [...word].length;
    if (length < 3) return { kind: 'phrase', words: [word] };
    return { kind: 'fuzzy', word, maxDistance: length <= 5 ? 1 : 2 };
  });
}
