import { termsOf } from '../find/query-terms.ts';

const name = 'search-match';
const maxRanges = 500;
const maxWildcards = 2;

/** Marks the words of a search in a text, without changing its elements. Returns a function that removes the marks. */
export function markWords(place: HTMLElement, query: string | undefined): (() => void) | undefined {
  const pattern = matchPattern(query);
  if (!pattern || typeof Highlight === 'undefined') return undefined;
  const ranges = rangesIn(place, pattern);
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlight);
  for (const range of ranges) highlight.add(range);
  return () => {
    for (const range of ranges) highlight.delete(range);
  };
}

/** Matches the words of a search; undefined when it has none. */
export function matchPattern(query: string | undefined): RegExp | undefined {
  const words = wordsOf(query);
  if (words.length === 0) return undefined;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}

function wordsOf(query: string | undefined): string[] {
  return termsOf(query).flatMap((term) => {
    if (term.excluded || (term.kind !== 'word' && term.kind !== 'phrase')) return [];
    const text = term.text.replace(/^[^\p{L}\p{N}*?]+|[^\p{L}\p{N}*?]+$/gu, '');
    if (!/[\p{L}\p{N}]/u.test(text)) return [];
    // Each more of them multiplies the time that a long word takes.
    if ((text.match(/\*+/g)?.length ?? 0) > maxWildcards) return [];
    // Escaping other characters, such as the hyphen of a device name, would make the expression invalid.
    const escaped = text.replace(/[.+^${}()|[\]\\/]/g, '\\$&').replace(/\*+/g, '*');
    return [escaped.replace(/\s+/g, '\\s+').replaceAll('*', '[\\p{L}\\p{N}]*').replaceAll('?', '[\\p{L}\\p{N}]')];
  });
}

function rangesIn(place: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < maxRanges; node = walker.nextNode()) {
    for (const match of (node.nodeValue ?? '').matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
