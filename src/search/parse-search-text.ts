import { Fault, quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import type { FlagFilter, TextMatch } from './query.js';
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
 * and of the parameter `query`, the one box that searches everywhere, where only spaces separate items:
 *
 *     box    = { [ "-" ] ( phrase | flag | word ) }
 *     flag   = "has:attachment" | "is:reply" | "is:edited"
 *
 * A `-` before a digit is part of a number, not an exclusion.
 */

export interface BoxText {
  readonly anywhere: readonly TextMatch[];
  readonly excluded: readonly TextMatch[];
  readonly flags: readonly FlagFilter[];
}

const flagsByText: Readonly<Record<string, FlagFilter['flag']>> = {
  'has:attachment': 'attachment',
  'is:reply': 'reply',
  'is:edited': 'edited',
};

/** @throws Fault invalid `search.…` */
export function parseText(value: string, fuzzy: boolean): TextMatch[] {
  return splitAtQuotes(value).flatMap(({ text, isQuoted }) =>
    isQuoted ? parsePhrase(text) : chunksOf(text).flatMap((chunk) => parseWord(chunk, fuzzy)),
  );
}

/** @throws Fault invalid `search.…` */
export function parseBox(value: string, fuzzy: boolean): BoxText {
  const anywhere: TextMatch[] = [];
  const excluded: TextMatch[] = [];
  const flags: FlagFilter[] = [];
  let excludesNext = false;
  for (const { text, isQuoted } of splitAtQuotes(value)) {
    if (isQuoted) {
      (excludesNext ? excluded : anywhere).push(...parsePhrase(text));
      excludesNext = false;
      continue;
    }
    excludesNext = /(?:^|\s)-$/.test(text);
    for (const item of text.split(/\s+/)) {
      const isExcluded = /^-[^\p{N}-]/u.test(item);
      const term = isExcluded ? item.slice(1) : item;
      const flag = flagsByText[term.toLowerCase()];
      if (flag) flags.push({ flag, wanted: !isExcluded });
      else {
        // Excluded words are never fuzzy: similar words must not be excluded too.
        const matches = chunksOf(term).flatMap((chunk) => parseWord(chunk, fuzzy && !isExcluded));
        (isExcluded ? excluded : anywhere).push(...matches);
      }
    }
  }
  return { anywhere, excluded, flags };
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
