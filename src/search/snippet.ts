import type { Highlighter, TextRange } from './highlights.js';

/** Maximum length in UTF-16 code units. */
export const maxSnippetLength = 300;
/** Number of code units shown before the first match. */
const leadLength = 60;
/** Maximum number of code units of a text in which matches are found. */
const maxSearchedLength = 131_072;
const ellipsis = '…';

export interface Snippet {
  readonly text: string;
  /** Passages of the snippet that match. */
  readonly ranges: readonly TextRange[];
}

/**
 * Returns the part of a plain text around its first match, or the beginning of a text without a match. The part is on
 * one line, with an ellipsis where the text continues.
 */
export function snippetOf(description: string, highlighter: Highlighter): Snippet {
  const isCut = description.length > maxSearchedLength;
  const whole = description.slice(0, maxSearchedLength).toWellFormed();
  const text = whole.replace(/\s+/gu, ' ').trim();
  const found = highlighter.rangesIn(text);
  if (text.length <= maxSnippetLength && !isCut) return { text, ranges: found };
  const start = startFor(text, found[0]?.[0] ?? 0);
  const before = start === 0 ? '' : ellipsis;
  const room = maxSnippetLength - before.length;
  const isLast = start + room >= text.length && !isCut;
  const end = isLast ? text.length : endBefore(text, start, start + room - ellipsis.length);
  const shift = before.length - start;
  const ranges = found
    .filter(([from, to]) => to > start && from < end)
    .map(([from, to]) => [Math.max(from, start) + shift, Math.min(to, end) + shift] as const);
  return { text: before + text.slice(start, end) + (isLast ? '' : ellipsis), ranges };
}

/**
 * Returns the start of a snippet for the match at this position. The snippet starts at a word, some words before the
 * match.
 */
function startFor(text: string, match: number): number {
  const earliest = Math.min(match - leadLength, text.length - maxSnippetLength + 1);
  if (earliest <= 0) return 0;
  const space = text.indexOf(' ', earliest - 1);
  if (space >= 0 && space < match) return space + 1;
  return isPairAt(text, earliest) ? earliest + 1 : earliest;
}

/**
 * Returns the position at which a snippet ends, at most `limit`. The snippet ends after a word, unless one word fills
 * most of it.
 */
function endBefore(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length;
  const space = text.lastIndexOf(' ', limit);
  if (space > start + leadLength * 2) return space;
  return isPairAt(text, limit) ? limit - 1 : limit;
}

/** Whether a cut here would divide a surrogate pair. */
function isPairAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
