import { termsOf } from './query-terms.ts';

const maxWildcards = 2;

/** Returns a pattern that matches any word of a search; undefined if the search has no words. */
export function matchPattern(query: string | undefined): RegExp | undefined {
  const words = wordsOf(query);
  return words.length === 0 ? undefined : patternOf(words.join('|'));
}

export function wordPatterns(query: string | undefined): RegExp[] {
  return wordsOf(query).map(patternOf);
}

function patternOf(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'giu');
}

function wordsOf(query: string | undefined): string[] {
  return termsOf(query).flatMap((term) => {
    if (term.excluded || (term.kind !== 'word' && term.kind !== 'phrase')) return [];
    const text = term.text.replace(/^[^\p{L}\p{N}*?]+|[^\p{L}\p{N}*?]+$/gu, '');
    if (!/[\p{L}\p{N}]/u.test(text)) return [];
    // Each further wildcard multiplies the time that a long word takes.
    if ((text.match(/\*+/g)?.length ?? 0) > maxWildcards) return [];
    // Escaping other characters, such as the hyphen of a device name, would make the expression invalid.
    const escaped = text.replace(/[.+^${}()|[\]\\/]/g, '\\$&').replace(/\*+/g, '*');
    return [escaped.replace(/\s+/g, '\\s+').replaceAll('*', '[\\p{L}\\p{N}]*').replaceAll('?', '[\\p{L}\\p{N}]')];
  });
}
