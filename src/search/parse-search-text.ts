import { Fault, quoted } from '../kernel/fault.js';
import type { FlagFilter, TextMatch } from './query.js';
import { searchLimits } from './search-limits.js';
import { chunksOf, partsOf } from './tokenize.js';

/**
 * The language of search texts:
 *
 *     text   = { item }                     items stand apart by space, brackets, commas and the like
 *     item   = phrase | word
 *     phrase = '"' { any character but '"' } '"'
 *     word   = a run of other characters; `*` and `?` in it are wildcards
 *
 * and of the one box for everything, where items stand apart by space alone:
 *
 *     box    = { [ "-" ] ( phrase | trait | word ) }
 *     trait  = "has:attachment" | "is:reply" | "is:edited"
 *
 * A `-` before a digit is part of a number, not an exclusion.
 */

export interface BoxText {
  readonly anywhere: readonly TextMatch[];
  readonly excluded: readonly TextMatch[];
  readonly traits: readonly FlagFilter[];
}

const traits: Readonly<Record<string, FlagFilter['trait']>> = {
  'has:attachment': 'attachment',
  'is:reply': 'reply',
  'is:edited': 'edited',
};

/** @throws Fault invalid `search.…` */
export function parseText(value: string, fuzzy: boolean): TextMatch[] {
  return pageChunks(value).flatMap(({ text, isQuoted }) =>
    isQuoted ? parsePhrase(text) : chunksOf(text).flatMap((chunk) => parseWord(chunk, fuzzy)),
  );
}

/** @throws Fault invalid `search.…` */
export function parseBox(value: string, fuzzy: boolean): BoxText {
  const anywhere: TextMatch[] = [];
  const excluded: TextMatch[] = [];
  const wantedTraits: FlagFilter[] = [];
  let excludesNext = false;
  for (const { text, isQuoted } of pageChunks(value)) {
    if (isQuoted) {
      (excludesNext ? excluded : anywhere).push(...parsePhrase(text));
      excludesNext = false;
      continue;
    }
    excludesNext = /(?:^|\s)-$/.test(text);
    for (const item of text.split(/\s+/)) {
      const isExcluded = /^-[^\p{N}-]/u.test(item);
      const asked = isExcluded ? item.slice(1) : item;
      const trait = traits[asked.toLowerCase()];
      if (trait) wantedTraits.push({ trait, wanted: !isExcluded });
      else {
        // What is to be left out is meant as it is written.
        const matches = chunksOf(asked).flatMap((chunk) => parseWord(chunk, fuzzy && !isExcluded));
        (isExcluded ? excluded : anywhere).push(...matches);
      }
    }
  }
  return { anywhere, excluded, traits: wantedTraits };
}

export function parsePhrase(value: string): TextMatch[] {
  const words = partsOf(value);
  return words.length === 0 ? [] : [{ kind: 'phrase', words }];
}

/** @throws Fault invalid `search.too-many-wildcards` */
export function checkStars(pattern: string): string {
  if (pattern.split('*').length - 1 > searchLimits.stars) {
    throw new Fault(
      'invalid',
      'search.too-many-wildcards',
      `${quoted(pattern)} has more than ${searchLimits.stars} “*”. Use fewer.`,
    );
  }
  return pattern;
}

/** @throws Fault invalid `search.unbalanced-quotes` */
export function checkQuotes(value: string): void {
  if (value.split('"').length % 2 === 0) {
    throw new Fault(
      'invalid',
      'search.unbalanced-quotes',
      `A double quote is missing its partner in ${quoted(value)}. Close the quotation, or leave both out.`,
    );
  }
}

function pageChunks(value: string): { readonly text: string; readonly isQuoted: boolean }[] {
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
