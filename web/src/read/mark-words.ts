import { matchPattern } from '../find/word-patterns.ts';

const name = 'search-match';
const maxRanges = 500;

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
