import {
  hasOpenQuote,
  parseText as parse,
  parseWords as parseUnlimited,
  type TextMatch,
} from '../../packages/search-language/search-text.js';
import { Fault, quoted } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import { searchLimits } from './search-limits.js';

/** Parses a search text. @throws Fault invalid `search.…` */
export function parseText(value: string, fuzzy: boolean): TextMatch[] {
  checkQuotes(value);
  return parse(value, fuzzy).map(checkMatch);
}

/** Parses a text without quotes. @throws Fault invalid `search.too-many-wildcards` */
export function parseWords(text: string, fuzzy: boolean): TextMatch[] {
  return parseUnlimited(text, fuzzy).map(checkMatch);
}

function checkMatch(match: TextMatch): TextMatch {
  if (match.kind === 'wildcard') checkStars(match.pattern);
  return match;
}

/** @throws Fault invalid `search.too-many-wildcards` */
export function checkStars(pattern: string): string {
  if (pattern.split('*').length - 1 > searchLimits.stars) {
    throw limitFault('invalid', 'search.too-many-wildcards', {
      refused: `${quoted(pattern)} contains too many wildcards.`,
      limit: {
        amount: `${searchLimits.stars} “*”`,
        setting: undefined,
        countedFor: 'each word, regardless of the client',
      },
      advice: 'Use fewer.',
    });
  }
  return pattern;
}

/** @throws Fault invalid `search.unbalanced-quotes` */
export function checkQuotes(value: string): void {
  if (hasOpenQuote(value)) {
    throw new Fault(
      'invalid',
      'search.unbalanced-quotes',
      `A double quote in ${quoted(value)} is not closed. Close it, or remove it.`,
    );
  }
}
